package adaops

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/bcpace/solverkit"
)

// packed is the Source whose children are those of another one, packed.
type packed struct {
	lookahead.Source
	spec   bcpace.Spec
	metric metric.Metric
	delta  float64 // negative where nothing shares a node
	bounds lookahead.Bounds
	half   float64 // ½(Vmax − Vmin)
	holds  bool    // what Bounds reports

	all    lookahead.Children
	nodes  centres // of all, the likeliest first
	beyond bcpace.Belief
}

// newPacked packs what a source lists for m to within delta. bounds are those of V*.
func newPacked(m bcpace.Model, from lookahead.Source, delta float64, bounds lookahead.Bounds) *packed {
	spec := m.Spec()
	lo, hi := solverkit.RangeOfReturns(m)
	_, finite := bcpace.AsFinite(m)
	return &packed{Source: from, spec: spec, metric: metricOf(spec, finite), delta: delta, bounds: bounds, half: (hi - lo) / 2, holds: from.Bounds() && (finite || delta < 0), beyond: make(bcpace.Belief, len(spec.Latents))}
}

// metricOf returns the metric of the packing: that of the axes with α = 1, in which different
// values on an axis are too far apart for any delta where the model is Finite or the axis has
// separate values.
func metricOf(spec bcpace.Spec, finite bool) metric.Metric {
	const apart = 1e100
	return metric.NewWeighted(spec, func(a bcpace.Axis) float64 {
		if finite || a.Whole() {
			return apart
		}
		return 1 / a.MetricUnit()
	})
}

// List implements lookahead.Source.
func (p *packed) List(x *lookahead.Children, s []float64, b bcpace.Belief, action int, rng *rand.Rand) error {
	x.Reset(p.spec)
	if err := p.Source.List(&p.all, s, b, action, rng); err != nil {
		return err
	}
	p.pack()
	x.Reward = p.all.Reward
	for k, c := range p.nodes.Centres {
		x.Add(p.all.State(int(c)), p.nodes.mean(k), p.nodes.mass[k])
	}
	if len(p.nodes.Centres) < len(p.nodes.Node) && p.holds {
		p.error(x)
	}
	return nil
}

// Bounds implements lookahead.Source: where a child stands for several states, nothing is bounded.
func (p *packed) Bounds() bool { return p.holds }

// pack makes the packing of all, and the means of its nodes.
func (p *packed) pack() {
	p.nodes.make(p.all.Prob, p.delta < 0, func(c, i int) bool {
		return p.metric.Within(p.delta, p.all.State(c), p.all.Belief(c), p.all.State(i), p.all.Belief(i))
	})
	p.nodes.merge(p.all.Prob, len(p.spec.Latents), p.all.Belief)
}

// error sets what the packing adds to the upper bound.
func (p *packed) error(x *lookahead.Children) {
	x.Most = 0
	for k := range p.nodes.Centres {
		lower, _ := p.bounds.Lower(x.State(k), x.Belief(k))
		for i, w := range p.all.Prob {
			if int(p.nodes.Node[i]) == k {
				x.Spread += w * p.above(p.all.Belief(i), x.Belief(k), x.State(k), lower)
			}
		}
	}
	for i, w := range p.all.Prob {
		x.Most += w * p.bounds.Upper(p.all.State(i), p.all.Belief(i))
	}
}

// above bounds V*(s, b) − V*(s, mean), where V*(s, mean) ≥ lower: by how much V* changes at most
// with the belief, and because V* is convex. For b = (1−t)·mean + t·c and a belief c beyond b,
// V*(b) ≤ (1−t)·V*(mean) + t·U(c). The smallest t is the one that brings c to the border.
func (p *packed) above(b, mean bcpace.Belief, s []float64, lower float64) float64 {
	t := 0.0
	for φ, q := range mean {
		if q > 0 {
			t = max(t, 1-b[φ]/q)
		}
	}
	if t == 0 {
		return 0
	}
	for φ, q := range mean {
		p.beyond[φ] = max(0, q+(b[φ]-q)/t)
	}
	return min(p.half*b.L1(mean), t*(p.bounds.Upper(s, p.beyond)-lower))
}

// Packing is what follows an action at a state and belief, but for what ends the episode, and
// the nodes of the tree that stand for it.
type Packing struct {
	States  [][]float64     // of what follows
	Beliefs []bcpace.Belief // after it: of the latents, or of the moved particles
	Prob    []float64       // of it
	Hidden  [][]float64     // the moved particles, for a hidden vector
	// Points are the coordinates of it, in which the distance of the packing is that of L1 but on
	// axes with a Period: for cover.FromRows.
	Points [][]float64
	// Centre has, for each node, the number of what it was made for. Any two are more than δ
	// apart, and the others are within δ of that of their node.
	Centre []int
	// Node is the number of its node.
	Node []int
	// Means are the beliefs of the nodes.
	Means []bcpace.Belief
}

// Pack returns what follows an action at (state, b) in m, and its nodes in the tree of a
// decision there, which is what figures of a packing draw, and package cover counts. rng draws
// next states where the tree does, and may be nil elsewhere. The error is an *bcpace.InputError
// for a solver, model, state, belief, action or rng that cannot be used, a
// *bcpace.UnsupportedError for actions with a Box, or a *bcpace.ConformanceError for a model that
// breaks its contract.
func (s Solver) Pack(m bcpace.Model, state []float64, b bcpace.Belief, action int, rng *rand.Rand) (z *Packing, err error) {
	if err := cmp.Or((lookahead.BoundedSearch{Budget: s.Budget, Epsilon: s.Epsilon}).Check(s, m, bcpace.Control{}), s.check()); err != nil {
		return nil, err
	}
	spec := m.Spec()
	if err := online.CheckPoint(spec, state, b); err != nil {
		return nil, err
	}
	need := bcpace.In(fmt.Sprintf("planning in model %q", spec.Name)).Need
	if err := cmp.Or(
		need(spec.IsAction(action), "the action", action, fmt.Sprintf("an id from 0 to %d", len(spec.Actions)-1)),
		need(rng != nil || s.lists(m), "the random numbers", "nil", "some that are not nil, as next states are drawn")); err != nil {
		return nil, err
	}
	defer func() {
		if x := recover(); x != nil {
			z, err = nil, spec.Panicked(x, "a simulation from there", state, action, -1)
		}
	}()
	p := s.source(m, nil)
	if err := p.Source.List(&p.all, state, b, action, rng); err != nil {
		return nil, err
	}
	p.pack()
	return p.nodes.packing(p.metric, p.metric.Dim(), p.all.Prob, p.all.State, p.all.Belief), nil
}

// packing returns the packing of things with these probabilities, states and beliefs, which are merged. Their points have so
// many coordinates.
func (p *centres) packing(m metric.Metric, dim int, prob []float64, state func(i int) []float64, belief func(i int) bcpace.Belief) *Packing {
	z := &Packing{Prob: slices.Clone(prob)}
	for i, node := range p.Node {
		z.States, z.Beliefs = append(z.States, slices.Clone(state(i))), append(z.Beliefs, slices.Clone(belief(i)))
		z.Node, z.Points = append(z.Node, int(node)), append(z.Points, make([]float64, dim))
		m.Embed(z.Points[i], z.States[i], z.Beliefs[i])
	}
	for k, c := range p.Centres {
		z.Centre, z.Means = append(z.Centre, int(c)), append(z.Means, slices.Clone(p.mean(k)))
	}
	return z
}

// centres says which of several things are centres, any two of which are more than a distance apart, and which
// centre, within that distance, stands for each thing. Its memory is used again.
type centres struct {
	Node    []int32 // by thing: the place in Centres of the one that stands for it
	Centres []int32 // the things that are centres

	order []int32

	// Of merge: the sum of the weights of the things that each centre stands for, and the mean of their beliefs, of so many numbers.
	mass, means []float64
	width       int
}

// merge gives each centre the mean of the beliefs, of so many numbers, of the things with those weights that it stands for.
func (p *centres) merge(weight []float64, width int, belief func(thing int) bcpace.Belief) {
	n := len(p.Centres)
	p.width, p.mass, p.means = width, slices.Grow(p.mass[:0], n)[:n], slices.Grow(p.means[:0], n*width)[:n*width]
	clear(p.mass)
	clear(p.means)
	for i, w := range weight {
		k := int(p.Node[i])
		p.mass[k] += w
		mean := p.mean(k)
		for j, q := range belief(i) {
			mean[j] += w * q
		}
	}
	for k, w := range p.mass {
		mean := p.mean(k)
		for j := range mean {
			mean[j] /= w
		}
	}
}

// mean returns the mean of a centre that merge has set, a view.
func (p *centres) mean(k int) bcpace.Belief {
	return p.means[k*p.width : (k+1)*p.width : (k+1)*p.width]
}

// make makes the packing of things with those weights: each, the heaviest first, joins the first centre that
// within reports to be so near, or becomes one. Where apart is set, each is a centre.
func (p *centres) make(weight []float64, apart bool, within func(centre, thing int) bool) {
	p.order, p.Node, p.Centres = p.order[:0], p.Node[:0], p.Centres[:0]
	for i := range weight {
		p.order, p.Node = append(p.order, int32(i)), append(p.Node, 0)
	}
	if !apart {
		slices.SortStableFunc(p.order, func(i, j int32) int { return cmp.Compare(weight[j], weight[i]) })
	}
	for _, i := range p.order {
		k := 0
		for k < len(p.Centres) && (apart || !within(int(p.Centres[k]), int(i))) {
			k++
		}
		if k == len(p.Centres) {
			p.Centres = append(p.Centres, i)
		}
		p.Node[i] = int32(k)
	}
}
