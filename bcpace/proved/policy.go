package proved

import (
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
)

// GridPolicy plays the best choices of a finite model, for the model that Upper was given: of the choices at the
// nodes and beliefs around, it plays the one that has most of their weights. For a list of controls that
// bcpace.Discretised has made, it plays the nearest of the list. It is for one goroutine; see Fork.
type GridPolicy struct {
	x       *solver   // what the policy asks for alone
	plays   []int     // by choice: the action of the model
	weights []float64 // by choice, those of a decision
}

// Policy returns that of the finite model of a bound.
func (b *GridBound) Policy() *GridPolicy {
	x := b.solver
	g := &grid{space: x.space, axes: x.axes, stride: x.stride, nodes: x.nodes, choices: x.choices, region: x.region, strides: x.strides, form: x.form, cells: x.cells, boxes: x.boxes}
	layers := []layer{{found: x.found}}
	if x.steps > 0 {
		layers = nil
		for _, l := range x.layers {
			layers = append(layers, layer{found: l.found})
		}
	}
	return newPolicy(&solver{grid: g, p: x.p, layers: layers}, b.of.list)
}

func newPolicy(x *solver, list []int) *GridPolicy {
	p := &GridPolicy{x: x, weights: make([]float64, len(x.choices))}
	for _, c := range x.choices {
		p.plays = append(p.plays, x.nearest(c.id, list))
	}
	return p
}

// Fork is bcpace.PolicyAbilities.Fork.
func (p *GridPolicy) Fork() bcpace.Policy {
	return &GridPolicy{p.x, p.plays, make([]float64, len(p.plays))}
}

// Act implements bcpace.Policy.
func (p *GridPolicy) Act(s []float64, b bcpace.Belief, _ *rand.Rand) int {
	x := p.x
	if outside := func(a *axis) bool { return a.number >= len(s) }; slices.ContainsFunc(x.axes, outside) || len(b) != x.latents {
		return -1
	}
	clear(p.weights)
	total := 0.0
	x.segments(s, func(c corners) {
		if total > 0 { // at a jump, the first segment decides
			return
		}
		layer := 0
		if x.steps > 0 {
			layer = x.left(s)
		}
		found := x.layers[layer].found
		if found == nil { // no step is left
			return
		}
		for i, node := range c.nodes {
			x.p.around(b, func(k int, weight float64) {
				p.weights[found[node*len(x.p.list)+k]] += weight * c.weights[i]
				total += weight * c.weights[i]
			})
		}
	})
	best := 0
	for c, w := range p.weights {
		if w > p.weights[best] {
			best = c
		}
	}
	return p.plays[best]
}

// nearest returns the number of the action nearest to one with that id, among the ids of a list: with the same
// index, and the least distance as a part of the Box. Without a list it is the id itself.
func (p *space) nearest(id int, list []int) int {
	if list == nil {
		return id
	}
	index, u := p.spec.Control(nil, id)
	best, least := 0, math.Inf(1)
	for n, other := range list {
		i, v := p.spec.Control(nil, other)
		if i != index {
			continue
		}
		off := 0.0
		for q, b := range p.spec.Actions[index].Box {
			d := math.Abs(u[q] - v[q])
			if b.Period > 0 {
				d = min(d, b.Period-d)
			}
			off += square(d / (b.Max - b.Min))
		}
		if off < least {
			best, least = n, off
		}
	}
	return best
}
