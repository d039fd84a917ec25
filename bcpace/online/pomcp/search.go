package pomcp

import (
	"context"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/tree"
	"bayescpace/bcpace/solverkit"
)

// search is the tree of POMCP.
type search struct {
	*tree.Tree
	spec        bcpace.Spec
	bayes       *bcpace.Bayes
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
	x := &search{Tree: tree.New(len(spec.Axes), 0), spec: spec, bayes: bcpace.NewBayes(m), walk: online.NewWalk(m), rollout: online.NewRollout(m, rollout),
		exploration: online.Exploration(m, s.Exploration), depth: s.Budget.Depth, state: make([]float64, len(spec.Axes)), belief: make(bcpace.Belief, len(spec.Latents))}
	if x.depth == 0 {
		x.depth = solverkit.SearchDepth(spec)
	}
	return x
}

// Root implements online.Search.
func (x *search) Root(s []float64, b bcpace.Belief) {
	if !x.At(s) || !online.SameBelief(x.belief, b) {
		x.Reset(s)
	}
	copy(x.state, s)
	copy(x.belief, b)
	x.rollout.Begin()
}

// Advance implements online.Search. The belief is that which a root has to have for the tree to
// stay.
func (x *search) Advance(action int, next []float64) {
	if err := x.bayes.Update(x.belief, x.belief, x.state, action, next); err != nil {
		x.Forget()
		return
	}
	x.Tree.Advance(action, next)
}

// Decide implements online.Search.
func (x *search) Decide(d *bcpace.Decision) { x.Report(d, x.spec) }

// Top implements online.Shower.
func (x *search) Top(most int) ([]bcpace.SearchNode, error) {
	nodes := x.Show(most)
	return nodes, online.UpdateBeliefs(nodes, x.bayes, x.belief)
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
