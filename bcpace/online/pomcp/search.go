package pomcp

import (
	"context"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/tree"
)

// search is the tree of POMCP.
type search struct {
	*tree.Tree
	model       bcpace.Model
	spec        bcpace.Spec
	walk        *online.Walk
	rollout     *online.Rollout
	exploration float64
	depth       int // most steps of a simulation
	path        tree.Path

	state  []float64 // of the agent
	belief bcpace.Belief
}

func newSearch(m bcpace.Model, s Solver, rollout bcpace.Policy) *search {
	spec := m.Spec()
	x := &search{Tree: tree.New(len(spec.Axes), 0), model: m, spec: spec, walk: online.NewWalk(m), rollout: online.NewRollout(m, rollout),
		exploration: online.Exploration(m, s.Exploration), depth: s.Budget.Depth, state: make([]float64, len(spec.Axes)), belief: make(bcpace.Belief, len(spec.Latents))}
	if x.depth == 0 {
		x.depth = spec.SearchDepth()
	}
	return x
}

// Root implements online.Search.
func (x *search) Root(s []float64, b bcpace.Belief) {
	copy(x.state, s)
	copy(x.belief, b)
	if !x.At(s) {
		x.Reset(s)
	}
	x.rollout.Begin()
}

// Decide implements online.Search.
func (x *search) Decide(d *bcpace.Decision) { x.Report(d, x.spec) }

// Top implements online.Shower.
func (x *search) Top(most int) ([]bcpace.SearchNode, error) {
	return x.Show(most, bcpace.NewBayes(x.model), x.belief)
}

// Simulate implements online.Search.
func (x *search) Simulate(ctx context.Context, rng *rand.Rand) (more bool, err error) {
	w := x.walk
	if err := x.rollout.Try(ctx, w, x.state, x.belief, x.depth, rng); err != nil {
		return false, err
	}
	w.Start(x.state, x.belief.Sample(rng))
	x.path.Clear()
	for node := int32(0); ; {
		if x.Nodes[node].First == tree.None {
			x.AddEdges(node, len(x.spec.Actions))
		}
		e := x.Choose(node, x.exploration, rng)
		action := x.Edges[e].Action
		reward := w.Step(action, rng)
		x.path.Add(e, reward)
		next, added := x.Follow(e, w.State, w.Done)
		if added {
			if err := x.spec.CheckOutcome(bcpace.Outcome{Reward: reward}, w.State, w.Prev, action, -1); err != nil {
				return false, err
			}
		}
		if left := x.depth - len(x.path.Edges); added || w.Done || left <= 0 {
			earned, err := x.rollout.Play(ctx, w, left, rng)
			if err != nil {
				return false, err
			}
			x.Backup(&x.path, next, earned, x.spec.Discount)
			return true, nil
		}
		node = next
	}
}
