// Package bfs3 is BFS3, Bayesian forward search sparse sampling (Asmuth and Littman 2011,
// "Learning is planning: near Bayes-optimal reinforcement learning via Monte-Carlo tree
// search"): at every decision it searches the tree of sparse sampling (Kearns, Mansour and Ng
// 2002) over states and what is known there, in which each action of a node has C draws of what
// follows, down to a depth. It opens those parts of the tree alone that can matter, by forward
// search sparse sampling (Walsh, Goschin and Littman 2010, "Integrating sample-based planning
// and model-based reinforcement learning").
//
// Each node has bounds of its value in that tree. A trial begins at the root, and takes at each
// node the action of the largest upper bound and of the nodes behind it the one whose bounds,
// by the number of its draws, are farthest apart. On the way back bounds become those of
//
//	Q(n,a) = mean over the C draws of r + γ·V(n'),  V(n) = max over a of Q(n,a)
//
// Where the bounds at the root meet, the value of the sampled tree is known and the search ends.
// With C and the depth large enough the tree's best action is near the Bayes-optimal one, which
// counts what it learns.
//
// Draws are from what is known at a node: of a belief over latents, and where transitions are
// unknown (bcpace.UnknownTransitions) of the counts so far, with those of the path. At the depth
// the tree ends with the value 0, as in sparse sampling. If the budget is spent before, the agent
// takes the action with the largest mean of its bounds: in the double loop that earned more than
// the largest upper bound, with which the agent still looks for what it does not know, and was
// less often far off than the largest lower one.
package bfs3

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/tabular"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/solverkit"
)

// Solver is BFS3 as a solver. Every zero value is useful.
type Solver struct {
	// Budget is that of a decision. A simulation is a trial. Depth is where the tree ends; 0
	// means 10, or what bcpace.Spec.SearchDepth says if that is less, and 10,000 is the most.
	Budget bcpace.Budget
	// Width is C. 0 means 15.
	Width int `json:",omitempty"`
}

const (
	defaultDepth = 10
	defaultWidth = 15
	maxDepth     = 10_000 // bounds memory
)

// Name implements bcpace.Solver.
func (Solver) Name() string { return "bfs3" }

// Solve implements bcpace.Solver. It only sets up: the policy of the solution is a
// planner (bcpace.PolicyAbilities.Plan), whose value nobody knows, and nothing is certified but the range of returns.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	if err := online.Check(s, m, c, s.Budget); err != nil {
		return nil, err
	}
	if err := s.check(m); err != nil {
		return nil, err
	}
	u, learns := m.(bcpace.UnknownTransitions)
	if !learns {
		m = bcpace.KeepHorizon(m)
		return online.Solution(s, m, online.New(m.Spec(), s.Budget, func() online.Search[bcpace.Belief] { return newSearch(m, s, newBeliefs(m)) })), nil
	}
	if err := tabular.Check(m, s.Name()); err != nil {
		return nil, err
	}
	know, err := tabular.NewRows(ctx, u)
	if err != nil {
		return nil, err
	}
	return online.Solution(s, m, online.New(m.Spec(), s.Budget, func() online.Search[bcpace.Belief] { return newSearch(m, s, newCounts(u, know.Fork())) })), nil
}

// check returns the error of a parameter that cannot be used, or of a model without a list of
// actions.
func (s Solver) check(m bcpace.Model) error {
	return cmp.Or(
		bcpace.In("options").Need(s.Width >= 0, "Width", s.Width, "1 draw or more, or 0 for the default"),
		bcpace.In("options").Need(s.Budget.Depth <= maxDepth, "Budget.Depth", s.Budget.Depth, fmt.Sprintf("%d steps at most", maxDepth)),
		solverkit.NeedActionList(m.Spec(), s.Name()))
}

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "searches the tree of sparse sampling where it matters, by bounds; learns transitions that are unknown",
		Written: "BFS3",
		Cited:   "BFS3, Bayesian forward search sparse sampling [@asmuth2011,walsh2010]",
		Params:  []solverkit.Param{solverkit.Budget, solverkit.Depth, {Key: "width", Field: "Width", Arg: "C", Doc: "draws for each action of a node (default 15)", Want: "1 draw or more"}},
	}
}

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
func (se *search) Root(s []float64, b bcpace.Belief) {
	se.nodes, se.edges, se.deepest = se.nodes[:0], se.edges[:0], 0
	se.world.root(s, b)
	se.add(node{sibling: none, action: none, draws: 1})
}

// add adds a node, whose place is the last of the world, with its bounds.
func (se *search) add(n node) {
	if n.first = none; !n.done && n.depth < se.depth {
		n.lower = se.lowest[n.depth]
		n.upper = max(0, se.world.most(int32(len(se.nodes)))+se.spec.Discount*se.highest[n.depth+1])
	}
	se.nodes = append(se.nodes, n)
	se.deepest = max(se.deepest, n.depth)
}

// Advance implements online.Search.
func (se *search) Advance(action int, next []float64) { se.world.advance(action, next) }

// Forget implements online.Search.
func (se *search) Forget() { se.world.forget() }

// Simulate implements online.Search.
func (se *search) Simulate(ctx context.Context, rng *rand.Rand) (more bool, err error) {
	defer se.world.leave()
	se.path = se.path[:0]
	for at := int32(0); at != none; {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if se.nodes[at].first == none {
			if err := se.open(at, rng); err != nil {
				return false, err
			}
		}
		se.nodes[at].visits++
		e := se.nodes[at].first + int32(se.best(at))
		se.path = append(se.path, step{at, e})
		se.edges[e].visits++
		to := se.widest(e)
		if to != none {
			se.world.enter(at, int(e-se.nodes[at].first), to)
		}
		at = to
	}
	for i := len(se.path) - 1; i >= 0; i-- {
		se.backup(se.path[i])
	}
	return se.nodes[0].upper > se.nodes[0].lower, nil
}

// open draws what follows each action at a node.
func (se *search) open(at int32, rng *rand.Rand) error {
	first, depth := int32(len(se.edges)), se.nodes[at].depth+1
	for a := range se.spec.Actions {
		e := edge{child: none}
		for range se.width {
			out, err := se.world.draw(at, a, rng)
			if err != nil {
				return err
			}
			e.reward += out.Reward / float64(se.width)
			c := e.child
			for c != none && !(se.nodes[c].done == out.Done && se.world.drawn(c)) {
				c = se.nodes[c].sibling
			}
			if c != none {
				se.nodes[c].draws++
				continue
			}
			if err := se.world.add(at, a, out.Done); err != nil {
				return err
			}
			c = int32(len(se.nodes))
			se.add(node{sibling: e.child, action: int32(a), draws: 1, depth: depth, done: out.Done})
			e.child = c
		}
		se.bound(&e)
		se.edges = append(se.edges, e)
	}
	se.nodes[at].first = first
	return nil
}

// bound sets the bounds of an edge from those of the nodes behind it.
func (se *search) bound(e *edge) {
	lower, upper := 0.0, 0.0
	for c := e.child; c != none; c = se.nodes[c].sibling {
		n := &se.nodes[c]
		lower += float64(n.draws) * n.lower
		upper += float64(n.draws) * n.upper
	}
	γ := se.spec.Discount / float64(se.width)
	e.lower, e.upper = e.reward+γ*lower, e.reward+γ*upper
}

// backup sets the bounds of an edge and of its node.
func (se *search) backup(s step) {
	se.bound(&se.edges[s.edge])
	n := &se.nodes[s.node]
	lower, upper := math.Inf(-1), math.Inf(-1)
	for _, e := range se.edges[n.first:][:len(se.spec.Actions)] {
		lower, upper = max(lower, e.lower), max(upper, e.upper)
	}
	n.lower, n.upper = max(n.lower, lower), min(n.upper, upper)
}

// best returns the action of the largest upper bound, the first of equals.
func (se *search) best(at int32) (action int) {
	edges := se.edges[se.nodes[at].first:][:len(se.spec.Actions)]
	_, action = num.Largest(len(edges), func(a int) float64 { return edges[a].upper })
	return action
}

// widest returns the node behind an edge whose bounds count most, none where all meet.
func (se *search) widest(e int32) int32 {
	most, to := 0.0, int32(none)
	for c := se.edges[e].child; c != none; c = se.nodes[c].sibling {
		n := &se.nodes[c]
		if gap := float64(n.draws) * (n.upper - n.lower); gap > most {
			most, to = gap, c
		}
	}
	return to
}

// Decide implements online.Search: the action with the largest mean of its bounds, the first of
// equals. What a trial would do, that of the largest upper bound, is often one of which nothing
// is known yet.
func (se *search) Decide(d *bcpace.Decision) {
	d.Action, d.Depth = max(0, se.choice(0)), int(se.deepest)
	if se.nodes[0].first == none {
		return
	}
	for a, e := range se.edges[se.nodes[0].first:][:len(se.spec.Actions)] {
		d.Actions, d.Q, d.Visits = append(d.Actions, a), append(d.Q, (e.lower+e.upper)/2), append(d.Visits, int(e.visits))
	}
}

// choice returns the action of Decide at a node, −1 where it is not open.
func (se *search) choice(at int32) (action int) {
	if se.nodes[at].first == none {
		return -1
	}
	edges := se.edges[se.nodes[at].first:]
	_, action = num.Largest(len(se.spec.Actions), func(a int) float64 { return edges[a].lower + edges[a].upper })
	return action
}

// Top implements online.Shower. The value of a node is the mean of its bounds, which are those
// of the sampled tree and not of V*.
func (se *search) Top(most int) ([]bcpace.SearchNode, error) {
	follow := func(list []int32, at int32) []int32 {
		if se.nodes[at].first == none {
			return list
		}
		for _, e := range se.edges[se.nodes[at].first:][:len(se.spec.Actions)] {
			for c := e.child; c != none; c = se.nodes[c].sibling {
				list = append(list, c)
			}
		}
		return list
	}
	return online.Top(min(most, len(se.nodes)), func(at int32) int { return int(se.nodes[at].visits) }, follow, func(at int32) bcpace.SearchNode {
		n := &se.nodes[at]
		s, b := se.world.place(at)
		return bcpace.SearchNode{Action: int(n.action), Prob: float64(n.draws) / float64(se.width), State: s, Belief: b, Depth: int(n.depth),
			Value: (n.lower + n.upper) / 2, Lower: math.Inf(-1), Upper: math.Inf(1), Best: se.choice(at)}
	}), nil
}
