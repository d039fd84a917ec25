package adaops

import (
	"fmt"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/bracket"
)

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
	if err := (bracket.BoundedSearch{Budget: s.Budget, Epsilon: s.Epsilon}).Check(s, m, bcpace.Control{}); err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	spec := m.Spec()
	if err := online.CheckPoint(spec, state, b); err != nil {
		return nil, err
	}
	bad := bcpace.In(fmt.Sprintf("planning in model %q", spec.Name)).Bad
	switch {
	case !spec.IsAction(action):
		return nil, bad("the action", action, fmt.Sprintf("an id from 0 to %d", len(spec.Actions)-1))
	case rng == nil && !s.lists(m):
		return nil, bad("the random numbers", "nil", "some that are not nil, as next states are drawn")
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
	var nodes bracket.Children
	nodes.Reset(spec)
	p.pack()
	p.merge(&nodes)
	z = &Packing{Prob: p.all.Prob}
	for i := range p.all.Len() {
		z.States, z.Beliefs = append(z.States, p.all.State(i)), append(z.Beliefs, p.all.Belief(i))
		z.Node, z.Points = append(z.Node, int(p.nodes.Node[i])), append(z.Points, make([]float64, p.metric.Dim()))
		p.metric.Embed(z.Points[i], z.States[i], z.Beliefs[i])
	}
	for k, c := range p.nodes.Centres {
		z.Centre, z.Means = append(z.Centre, int(c)), append(z.Means, nodes.Belief(k))
	}
	return z, nil
}
