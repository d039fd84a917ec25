package pomcpow

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/tree"
	"bayescpace/bcpace/solverkit"
)

// widening is k·n^α.
type widening struct{ k, α float64 }

// room reports whether there may be one more of so many after n visits.
func (w widening) room(number, n int32) bool {
	return float64(number) <= w.k*math.Pow(float64(n), w.α)
}

// search is the tree of POMCPOW. The notes of a node are its belief.
type search struct {
	*tree.Tree
	spec            bcpace.Spec
	box             bool // some action has a Box
	bayes           *bcpace.Bayes
	walk            *online.Walk
	rollout         *online.Rollout
	exploration     float64
	states, actions widening
	depth           int // most steps of a simulation
	path            tree.Path
}

func newSearch(m bcpace.Model, s Solver, rollout bcpace.Policy) *search {
	spec := m.Spec()
	return &search{Tree: tree.New(len(spec.Axes), len(spec.Latents)), spec: spec, box: spec.HasBox(), bayes: bcpace.NewBayes(m),
		walk: online.NewWalk(m), rollout: online.NewRollout(m, rollout), exploration: online.Exploration(m, s.Exploration),
		states:  widening{cmp.Or(s.StateK, 4), cmp.Or(s.StateAlpha, 1.0/4)},
		actions: widening{cmp.Or(s.ActionK, 4), cmp.Or(s.ActionAlpha, 1.0/3)},
		depth:   cmp.Or(s.Budget.Depth, solverkit.SearchDepth(spec))}
}

// Root implements online.Search.
func (x *search) Root(s []float64, b bcpace.Belief) {
	if !x.At(s) || !online.SameBelief(x.Notes(0), b) {
		x.Reset(s)
	}
	copy(x.Notes(0), b)
	x.rollout.Begin()
}

// Decide implements online.Search.
func (x *search) Decide(d *bcpace.Decision) { x.Report(d, x.spec) }

// Top implements online.Shower.
func (x *search) Top(most int) ([]bcpace.SearchNode, error) {
	if len(x.Nodes) == 0 {
		return nil, nil
	}
	nodes := x.Show(most)
	return nodes, online.UpdateBeliefs(nodes, x.bayes, x.Notes(0))
}

// Simulate implements online.Search.
func (x *search) Simulate(ctx context.Context, rng *rand.Rand) (more bool, err error) {
	w := x.walk
	if err := x.rollout.Try(ctx, w, x.State(0), x.Notes(0), x.depth, rng); err != nil {
		return false, err
	}
	w.Start(x.State(0), bcpace.Belief(x.Notes(0)).Sample(rng))
	x.path.Clear()
	for node := int32(0); ; {
		x.widen(node, rng)
		e := x.Choose(node, x.exploration, rng)
		action := x.Edges[e].Action
		reward := w.Step(action, rng)
		x.path.Add(e, reward)
		next, added := int32(tree.None), false
		if edge := &x.Edges[e]; x.states.room(edge.Children, edge.Visits) {
			if next, added = x.Follow(e, w.State, w.Done); added {
				if err := x.arrive(node, next, action, reward); err != nil {
					return false, err
				}
			}
			x.Edges[e].Draws++
			x.Nodes[next].Draws++
		} else {
			next = x.draw(e, rng)
			w.Start(x.State(next), bcpace.Belief(x.Notes(next)).Sample(rng))
			w.Done = x.Nodes[next].Done
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

// widen gives a node the actions that it may have.
func (x *search) widen(node int32, rng *rand.Rand) {
	n := &x.Nodes[node]
	switch {
	case !x.box:
		if n.First == tree.None {
			x.AddEdges(node, len(x.spec.Actions))
		}
	case n.First == tree.None || x.actions.room(n.Edges, n.Visits):
		id := x.spec.DrawAction(rng)
		for e := n.First; e != tree.None; e = x.Edges[e].Next {
			if x.Edges[e].Action == id {
				return
			}
		}
		x.AddEdge(node, id)
	}
}

// arrive computes the belief of a node that was added behind another one.
func (x *search) arrive(node, next int32, action int, reward float64) error {
	s, to := x.State(node), x.State(next)
	if err := x.spec.CheckOutcome(bcpace.Outcome{Reward: reward}, to, s, action, -1); err != nil {
		return err
	}
	return x.bayes.Update(x.Notes(next), x.Notes(node), s, action, to)
}

// draw returns one of the nodes that follow an edge, as often as steps led there.
func (x *search) draw(edge int32, rng *rand.Rand) int32 {
	k := rng.Int32N(x.Edges[edge].Draws)
	c := x.Edges[edge].Child
	for ; k >= x.Nodes[c].Draws; c = x.Nodes[c].Sibling {
		k -= x.Nodes[c].Draws
	}
	return c
}
