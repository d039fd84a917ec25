package pomcp

import (
	"context"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/tree"
)

// search is the tree of POMCP.
type search struct {
	*tree.Tree
	spec        bcpace.Spec
	walk        *online.Walk
	rollout     *online.Rollout
	exploration float64 // 0 for the range of returns
	depth       int     // most steps of a simulation

	state  []float64 // of the agent
	belief bcpace.Belief
	lo, hi float64 // range of the returns from the root

	path    []int32 // edges of the simulation
	rewards []float64
}

func newSearch(m bcpace.Model, s Solver, rollout bcpace.Policy) *search {
	spec := m.Spec()
	x := &search{Tree: tree.New(len(spec.Axes)), spec: spec, walk: online.NewWalk(m), rollout: online.NewRollout(m, rollout),
		exploration: s.Exploration, depth: s.Budget.Depth, state: make([]float64, len(spec.Axes)), belief: make(bcpace.Belief, len(spec.Latents))}
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
	x.lo, x.hi = math.Inf(1), math.Inf(-1)
}

// Forget implements online.Search.
func (x *search) Forget() { x.Clear() }

// Advance implements online.Search.
func (x *search) Advance(action int, next []float64) { x.Tree.Advance(action, next) }

// Decide implements online.Search.
func (x *search) Decide(d *bcpace.Decision) { x.Report(d, x.spec) }

// Simulate implements online.Search.
func (x *search) Simulate(_ context.Context, rng *rand.Rand) (more bool, err error) {
	w := x.walk
	w.Start(x.state, x.belief.Sample(rng))
	x.path, x.rewards = x.path[:0], x.rewards[:0]
	value := 0.0
	for node := int32(0); ; {
		e := x.choose(node, rng)
		x.path, x.rewards = append(x.path, e), append(x.rewards, w.Step(x.Edges[e].Action, rng))
		next, added := x.Follow(e, w.State, w.Done)
		if added {
			if err := x.spec.CheckOutcome(bcpace.Outcome{Reward: x.rewards[len(x.rewards)-1]}, w.State, w.Prev, x.Edges[e].Action, -1); err != nil {
				return false, err
			}
		}
		if left := x.depth - len(x.path); added || w.Done || left <= 0 {
			x.Nodes[next].Visits++
			value = x.rollout.Play(w, left, rng)
			break
		}
		node = next
	}
	for i := len(x.path) - 1; i >= 0; i-- {
		value = x.rewards[i] + x.spec.Discount*value
		e := &x.Edges[x.path[i]]
		e.Visits++
		e.Q += (value - e.Q) / float64(e.Visits)
		x.Nodes[e.Node].Visits++
	}
	x.lo, x.hi = min(x.lo, value), max(x.hi, value)
	return true, nil
}

// choose returns the edge that UCB1 takes at a node: one that was not tried, each with equal
// probability, or else the first of those whose bound is largest.
func (x *search) choose(node int32, rng *rand.Rand) int32 {
	n := &x.Nodes[node]
	if n.First == tree.None {
		x.AddEdges(node, len(x.spec.Actions))
		n = &x.Nodes[node]
	}
	edges := x.Edges[n.First : n.First+n.Edges]
	untried := 0
	for i := range edges {
		if edges[i].Visits == 0 {
			untried++
		}
	}
	if untried > 0 {
		k := rng.IntN(untried)
		for i := range edges {
			if edges[i].Visits == 0 {
				if k == 0 {
					return n.First + int32(i)
				}
				k--
			}
		}
	}
	c := x.exploration
	if c == 0 {
		c = x.hi - x.lo
	}
	c *= math.Sqrt(math.Log(float64(n.Visits)))
	best, at := math.Inf(-1), 0
	for i := range edges {
		if u := edges[i].Q + c/math.Sqrt(float64(edges[i].Visits)); u > best {
			best, at = u, i
		}
	}
	return n.First + int32(at)
}
