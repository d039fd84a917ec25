package bfs3

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/solverkit"
)

const none = -1

// node is a state with what is known there.
type node struct {
	first        int32 // its edges are those from here on, one for each action; none before it is opened
	sibling      int32 // another node behind the same edge, none at the end of the list
	action       int32 // that led here
	draws        int32 // of the edge that led here
	visits       int32 // trials
	depth        int32
	done         bool
	lower, upper float64 // of its value in the tree
}

// edge is an action at a node.
type edge struct {
	child        int32   // the first of the nodes behind it
	visits       int32   // trials
	reward       float64 // mean of its draws
	lower, upper float64
}

// step is an action of a trial.
type step struct{ node, edge int32 }

// search is the tree.
type search struct {
	spec  bcpace.Spec
	world world
	width int
	depth int32
	// Bounds of the value of a node by its depth, before it is opened.
	lowest, highest []float64

	nodes   []node
	edges   []edge
	path    []step
	deepest int32
}

func newSearch(m bcpace.Model, s Solver, w world) *search {
	spec := m.Spec()
	x := &search{spec: spec, world: w, width: cmp.Or(s.Width, defaultWidth), depth: int32(s.Budget.Depth)}
	if x.depth == 0 {
		x.depth = int32(min(defaultDepth, solverkit.SearchDepth(spec)))
	}
	x.lowest, x.highest = make([]float64, x.depth+1), make([]float64, x.depth+1)
	for d := x.depth - 1; d >= 0; d-- { // what ends earns 0
		x.lowest[d] = min(0, spec.RewardMin+spec.Discount*x.lowest[d+1])
		x.highest[d] = max(0, spec.RewardMax+spec.Discount*x.highest[d+1])
	}
	return x
}

// Root implements online.Search.
func (x *search) Root(s []float64, b bcpace.Belief) {
	x.nodes, x.edges, x.deepest = x.nodes[:0], x.edges[:0], 0
	x.world.root(s, b)
	x.add(node{sibling: none, action: none, draws: 1})
}

// add adds a node, whose place is the last of the world, with its bounds.
func (x *search) add(n node) {
	if n.first = none; !n.done && n.depth < x.depth {
		n.lower = x.lowest[n.depth]
		n.upper = max(0, x.world.most(int32(len(x.nodes)))+x.spec.Discount*x.highest[n.depth+1])
	}
	x.nodes = append(x.nodes, n)
	x.deepest = max(x.deepest, n.depth)
}

// Advance implements online.Search.
func (x *search) Advance(action int, next []float64) { x.world.advance(action, next) }

// Forget implements online.Search.
func (x *search) Forget() { x.world.forget() }

// Simulate implements online.Search.
func (x *search) Simulate(ctx context.Context, rng *rand.Rand) (more bool, err error) {
	defer x.world.leave()
	x.path = x.path[:0]
	for at := int32(0); at != none; {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if x.nodes[at].first == none {
			if err := x.open(at, rng); err != nil {
				return false, err
			}
		}
		x.nodes[at].visits++
		e := x.nodes[at].first + int32(x.best(at))
		x.path = append(x.path, step{at, e})
		x.edges[e].visits++
		to := x.widest(e)
		if to != none {
			x.world.enter(at, int(e-x.nodes[at].first), to)
		}
		at = to
	}
	for i := len(x.path) - 1; i >= 0; i-- {
		x.backup(x.path[i])
	}
	return x.nodes[0].upper > x.nodes[0].lower, nil
}

// open draws what follows each action at a node.
func (x *search) open(at int32, rng *rand.Rand) error {
	first, depth := int32(len(x.edges)), x.nodes[at].depth+1
	for a := range x.spec.Actions {
		e := edge{child: none}
		for range x.width {
			out, err := x.world.draw(at, a, rng)
			if err != nil {
				return err
			}
			e.reward += out.Reward / float64(x.width)
			c := e.child
			for c != none && !(x.nodes[c].done == out.Done && x.world.drawn(c)) {
				c = x.nodes[c].sibling
			}
			if c != none {
				x.nodes[c].draws++
				continue
			}
			if err := x.world.add(at, a, out.Done); err != nil {
				return err
			}
			c = int32(len(x.nodes))
			x.add(node{sibling: e.child, action: int32(a), draws: 1, depth: depth, done: out.Done})
			e.child = c
		}
		x.bound(&e)
		x.edges = append(x.edges, e)
	}
	x.nodes[at].first = first
	return nil
}

// bound sets the bounds of an edge from those of the nodes behind it.
func (x *search) bound(e *edge) {
	lower, upper := 0.0, 0.0
	for c := e.child; c != none; c = x.nodes[c].sibling {
		n := &x.nodes[c]
		lower += float64(n.draws) * n.lower
		upper += float64(n.draws) * n.upper
	}
	γ := x.spec.Discount / float64(x.width)
	e.lower, e.upper = e.reward+γ*lower, e.reward+γ*upper
}

// backup sets the bounds of an edge and of its node.
func (x *search) backup(s step) {
	x.bound(&x.edges[s.edge])
	n := &x.nodes[s.node]
	lower, upper := math.Inf(-1), math.Inf(-1)
	for _, e := range x.edges[n.first:][:len(x.spec.Actions)] {
		lower, upper = max(lower, e.lower), max(upper, e.upper)
	}
	n.lower, n.upper = max(n.lower, lower), min(n.upper, upper)
}

// best returns the action of the largest upper bound, the first of equals.
func (x *search) best(at int32) (action int) {
	edges := x.edges[x.nodes[at].first:][:len(x.spec.Actions)]
	for a, e := range edges {
		if e.upper > edges[action].upper {
			action = a
		}
	}
	return action
}

// widest returns the node behind an edge whose bounds count most, none where all meet.
func (x *search) widest(e int32) int32 {
	most, to := 0.0, int32(none)
	for c := x.edges[e].child; c != none; c = x.nodes[c].sibling {
		n := &x.nodes[c]
		if gap := float64(n.draws) * (n.upper - n.lower); gap > most {
			most, to = gap, c
		}
	}
	return to
}

// Decide implements online.Search: the action with the largest mean of its bounds, the first of
// equals. What a trial would do, that of the largest upper bound, is often one of which nothing
// is known yet.
func (x *search) Decide(d *bcpace.Decision) {
	d.Action, d.Depth = max(0, x.choice(0)), int(x.deepest)
	if x.nodes[0].first == none {
		return
	}
	for a, e := range x.edges[x.nodes[0].first:][:len(x.spec.Actions)] {
		d.Actions, d.Q, d.Visits = append(d.Actions, a), append(d.Q, (e.lower+e.upper)/2), append(d.Visits, int(e.visits))
	}
}

// choice returns the action of Decide at a node, −1 where it is not open.
func (x *search) choice(at int32) (action int) {
	if x.nodes[at].first == none {
		return -1
	}
	best := math.Inf(-1)
	for a, e := range x.edges[x.nodes[at].first:][:len(x.spec.Actions)] {
		if q := e.lower + e.upper; q > best {
			best, action = q, a
		}
	}
	return action
}

// Top implements online.Shower. The value of a node is the mean of its bounds, which are those
// of the sampled tree and not of V*.
func (x *search) Top(most int) ([]bcpace.SearchNode, error) {
	if len(x.nodes) == 0 {
		return nil, nil
	}
	follow := func(list []int32, at int32) []int32 {
		if x.nodes[at].first == none {
			return list
		}
		for _, e := range x.edges[x.nodes[at].first:][:len(x.spec.Actions)] {
			for c := e.child; c != none; c = x.nodes[c].sibling {
				list = append(list, c)
			}
		}
		return list
	}
	return online.Top(most, func(at int32) int { return int(x.nodes[at].visits) }, follow, func(at int32) bcpace.SearchNode {
		n := &x.nodes[at]
		s, b := x.world.place(at)
		return bcpace.SearchNode{Action: int(n.action), Prob: float64(n.draws) / float64(x.width), State: s, Belief: b, Depth: int(n.depth),
			Value: (n.lower + n.upper) / 2, Lower: math.Inf(-1), Upper: math.Inf(1), Best: x.choice(at)}
	}), nil
}
