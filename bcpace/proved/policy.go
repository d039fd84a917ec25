package proved

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/columns"
	"bayescpace/bcpace/internal/num"
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
	return p.plays[floats.MaxIdx(p.weights)]
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

// policyHead has the finite model of a policy, as far as the model itself does not: into how many cells the
// axes and each Box are cut, which axes tell something of the latent, and into how many parts beliefs
// are cut, 0 for those of the starts.
type policyHead struct{ cells, informs, boxes, parts []int32 }

// pass passes the numbers of a model to io.
func (h *policyHead) pass(io columns.Columns, spec bcpace.Spec) {
	all := 0
	for _, a := range spec.Actions {
		all += len(a.Box)
	}
	io.Ints(&h.cells, len(spec.Axes))
	io.Ints(&h.informs, len(spec.Axes))
	io.Ints(&h.boxes, all)
	io.Ints(&h.parts, 1)
}

// AppendBinary implements encoding.BinaryAppender, for ReadPolicy.
func (p *GridPolicy) AppendBinary(b []byte) ([]byte, error) {
	x, h := p.x, policyHead{parts: make([]int32, 1)}
	for i, n := range x.cells {
		h.cells, h.informs = append(h.cells, int32(n)), append(h.informs, int32(num.OfBool(x.form.informs[i])))
	}
	for _, n := range slices.Concat(x.boxes...) {
		h.boxes = append(h.boxes, int32(n))
	}
	if x.p.grid != nil {
		h.parts[0] = int32(x.p.grid.parts)
	}
	out := &columns.Encoder{Out: b}
	h.pass(out, x.spec)
	for i := range x.layers {
		out.Ints(&x.layers[i].found, len(x.layers[i].found))
	}
	return out.Out, nil
}

// errPolicy begins what is wrong with the bytes of a policy.
var errPolicy = errors.New("the choices of a finite model")

// ReadPolicy returns the policy for m of which AppendBinary has made data. The error is that of m, or says what is
// wrong with data.
func ReadPolicy(m bcpace.Model, data []byte) (*GridPolicy, error) {
	s, err := subjectOf(m)
	if err != nil {
		return nil, err
	}
	bad := func(format string, args ...any) (*GridPolicy, error) {
		return nil, fmt.Errorf("%w: %s", errPolicy, fmt.Sprintf(format, args...))
	}
	var h policyHead
	var most columns.Counter
	if h.pass(&most, s.spec); len(data) < int(most) {
		return bad("%d bytes, want %d at least", len(data), int(most))
	}
	in := &columns.Decoder{In: data}
	h.pass(in, s.spec)
	g, err := h.grid(s, len(in.In))
	if err != nil {
		return nil, err
	}
	x := &solver{grid: g}
	if x.p = startPoints(s.latents, s.starts); h.parts[0] > 0 {
		x.p = gridPoints(s.latents, int(h.parts[0]))
	}
	if err := g.regions(); err != nil {
		return nil, err
	}
	size := g.nodes * len(x.p.list)
	if want := 4 * size * max(g.steps, 1); len(in.In) != want {
		return bad("%d bytes for %d nodes, %d beliefs and %d steps, want %d", len(in.In), g.nodes, len(x.p.list), g.steps, want)
	}
	if g.steps > 0 {
		x.layers = append(x.layers, layer{}) // where no step is left
	}
	for range max(g.steps, 1) {
		var l layer
		in.Ints(&l.found, size)
		if least, most := slices.Min(l.found), slices.Max(l.found); least < 0 || int(most) >= len(g.choices) {
			return bad("numbers from %d to %d, want 0 to %d", least, most, len(g.choices)-1)
		}
		x.layers = append(x.layers, l)
	}
	return newPolicy(x, s.list), nil
}

// leastOfChoice is less than the numbers that grid.load counts for a choice at all nodes of an axis.
const leastOfChoice = 24

// grid returns the grid of a file, without kernels, after which so many bytes follow.
func (h *policyHead) grid(s *subject, follow int) (*grid, error) {
	bad := func(what string, n int32) (*grid, error) { return nil, fmt.Errorf("%w: %d %s", errPolicy, n, what) }
	f := &form{informs: make([]bool, len(h.cells))}
	var axes []int
	size := 1.0 // nodes at beliefs, at least
	for i, n := range h.cells {
		axes = append(axes, int(n))
		if f.informs[i] = h.informs[i] == 1; h.informs[i]&^1 != 0 {
			return bad("says whether an axis tells of the latent, want 0 or 1", h.informs[i])
		}
		if s.smooth.Sigma[i] == 0 {
			continue
		}
		if f.noisy = append(f.noisy, i); n < 1 || n > mostCells {
			return bad("cells on an axis", n)
		}
		size *= float64(n)
	}
	parts := h.parts[0]
	if parts < 0 || int(parts) > cuts(s.latents, len(f.noisy), mostParts)[0] {
		return bad("parts of beliefs", parts)
	}
	if parts > 0 {
		size *= float64(newBeliefs(s.latents, int(parts)).len())
	}
	var boxes [][]int
	choices, rest := 0.0, h.boxes
	for _, a := range s.spec.Actions {
		own, controls := []int(nil), 1.0
		for range a.Box {
			if rest[0] < 1 || rest[0] > mostControls {
				return bad("cells on an axis of a Box", rest[0])
			}
			own, controls, rest = append(own, int(rest[0])), controls*float64(rest[0]), rest[1:]
		}
		boxes, choices = append(boxes, own), choices+controls
	}
	if size > mostNumbers || choices > mostNumbers/leastOfChoice || 4*size > float64(follow) {
		return nil, fmt.Errorf("%w: %g nodes at beliefs and %g choices are more than a finite model has, or than %d bytes tell of", errPolicy, size, choices, follow)
	}
	return s.sketch(f, wide{least: s.smooth.Sigma, most: s.smooth.Sigma}, axes, boxes), nil
}
