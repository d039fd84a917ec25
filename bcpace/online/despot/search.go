package despot

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/solverkit"
)

// none is the number of no node and of no edge.
const none = -1

// aim is ξ: a trial aims at a gap at the root of that share of the present one (Ye et al.
// 2017, Section 6).
const aim = 0.95

// node is b. Its bounds are weighted: by γ^Δ(b)·|Φ_b|/K.
type node struct {
	mu, lo float64 // of ν(b)
	base   float64 // ℓ0(b)
	upper  float64 // of its value without λ
	edge   int32   // that led here; none at the root
	first  int32   // its edges are first, first+1, … by action; none for a leaf
	depth  int32   // Δ(b)
	// Its scenarios are from, from+1, …
	from, count int32
	action      int32 // of the default policy
}

// edge is an action at a node.
type edge struct {
	reward          float64 // ρ(b,a)
	node            int32
	first, children int32
	tried           int32 // trials that went by
}

// search is the tree of a decision. It implements online.Search, for one goroutine.
type search struct {
	*simulator
	model  bcpace.Model
	solver Solver

	nodes     []node
	edges     []edge
	states    []float64 // by node
	scenarios []scenario
	fresh     bool // no scenario was drawn yet
	root      []float64
	belief    bcpace.Belief
	deepest   int32

	// Of the edge that is expanded: by scenario, its child and its latent there; and by child,
	// the number of its scenarios.
	child, moved, counts []int32
}

func newSearch(m bcpace.Model, s Solver, q bcpace.LatentValues) *search {
	spec := m.Spec()
	if s.Scenarios == 0 {
		s.Scenarios = defaultScenarios
	}
	pcg := rand.NewPCG(0, 0)
	x := &simulator{spec: spec, values: q, walk: online.NewWalk(m), pcg: pcg, rng: rand.New(pcg), depth: s.Budget.Depth, count: make([]int32, len(spec.Latents))}
	x.move = bcpace.AbilitiesOf(m).NextLatent
	x.known, _ = q.(dp.LatentMaxima)
	if x.depth == 0 {
		x.depth = solverkit.SearchDepth(spec)
	}
	return &search{simulator: x, model: m, solver: s, root: make([]float64, len(spec.Axes)), belief: make(bcpace.Belief, len(spec.Latents))}
}

// Root implements online.Search. Every decision has scenarios of its own.
func (x *search) Root(s []float64, b bcpace.Belief) {
	copy(x.root, s)
	copy(x.belief, b)
	x.Forget()
}

// Forget implements online.Search.
func (x *search) Forget() {
	x.nodes, x.edges, x.states, x.scenarios = x.nodes[:0], x.edges[:0], x.states[:0], x.scenarios[:0]
	x.fresh, x.deepest = true, 0
}

// Advance implements online.Search.
func (x *search) Advance(int, []float64) {}

// draw draws the scenarios: their latents at equal distances of the belief's distribution.
// The error is that of ctx.
func (x *search) draw(ctx context.Context, rng *rand.Rand) error {
	x.fresh, x.seed = false, rng.Uint64()
	n := x.solver.Scenarios
	u, sum, φ := rng.Float64(), x.belief[0], 0
	for k := range n {
		for (float64(k)+u)/float64(n) >= sum && φ < len(x.belief)-1 {
			φ++
			sum += x.belief[φ]
		}
		for x.belief[φ] == 0 { // by rounding at the end
			φ--
		}
		x.scenarios = append(x.scenarios, scenario{int32(k), int32(φ)})
	}
	if err := x.chooseBlind(ctx, x.root, x.scenarios); err != nil {
		return err
	}
	x.states = append(x.states, x.root...)
	return x.addNode(ctx, node{edge: none, count: int32(n)})
}

// addNode adds a leaf, whose state and scenarios are there. The error is that of ctx.
func (x *search) addNode(ctx context.Context, n node) error {
	s, at := x.state(int32(len(x.nodes))), x.scenarios[n.from:n.from+n.count]
	weight := math.Pow(x.spec.Discount, float64(n.depth)) * float64(n.count) / float64(x.solver.Scenarios)
	base, action, err := x.lower(ctx, s, at, int(n.depth))
	if err != nil {
		return err
	}
	n.base, n.action, n.first = weight*base, int32(action), none
	n.upper = weight * max(base, x.upper(s, at))
	n.lo, n.mu = n.base, max(n.base, n.upper-x.solver.Regularisation)
	if int(n.depth) >= x.depth {
		n.mu = n.lo
	}
	x.nodes = append(x.nodes, n)
	x.deepest = max(x.deepest, n.depth)
	return nil
}

func (x *search) state(n int32) []float64 {
	k := len(x.root)
	return x.states[int(n)*k : int(n+1)*k : int(n+1)*k]
}

// Simulate implements online.Search: a trial.
func (x *search) Simulate(ctx context.Context, rng *rand.Rand) (more bool, err error) {
	if x.fresh {
		if err := x.draw(ctx, rng); err != nil {
			x.Forget()
			return false, err
		}
	}
	root := &x.nodes[0]
	target := aim * (root.mu - root.lo)
	n := int32(0)
	for {
		if x.nodes[n].first == none {
			if x.prune(n) {
				break
			}
			if err := x.expand(ctx, n); err != nil {
				return false, err
			}
			x.backup(n)
		}
		e := x.promising(n)
		x.edges[e].tried++
		next, top := int32(none), 0.0
		for c := x.edges[e].first; c < x.edges[e].first+x.edges[e].children; c++ {
			share := float64(x.nodes[c].count) / float64(x.solver.Scenarios)
			if excess := x.nodes[c].mu - x.nodes[c].lo - share*target; excess > top {
				next, top = c, excess
			}
		}
		if next == none {
			break
		}
		n = next
	}
	for ; ; n = x.edges[x.nodes[n].edge].node {
		x.backup(n)
		if x.nodes[n].edge == none {
			break
		}
	}
	return x.nodes[0].mu-x.nodes[0].lo > 1e-9*math.Abs(x.nodes[0].mu), nil
}

// promising returns the edge of an inner node with the largest μ.
func (x *search) promising(n int32) int32 {
	best, top := x.nodes[n].first, math.Inf(-1)
	for e := best; e < x.nodes[n].first+int32(len(x.spec.Actions)); e++ {
		if _, mu := x.bounds(e); mu > top {
			best, top = e, mu
		}
	}
	return best
}

// bounds returns those of ρ(b,a) + Σ ν(b').
func (x *search) bounds(number int32) (lo, mu float64) {
	e := &x.edges[number]
	lo, mu = e.reward, e.reward
	for c := e.first; c < e.first+e.children; c++ {
		lo += x.nodes[c].lo
		mu += x.nodes[c].mu
	}
	return lo, mu
}

// prune takes the default policy at a leaf if its way from some node above costs more, at λ a
// node, than can be gained there; and reports whether it does.
func (x *search) prune(n int32) bool {
	for above, nodes := n, 0.0; x.solver.Regularisation > 0; nodes++ {
		b := &x.nodes[above]
		if b.upper-b.base <= x.solver.Regularisation*nodes {
			x.nodes[n].mu, x.nodes[n].lo = x.nodes[n].base, x.nodes[n].base
			return true
		}
		if b.edge == none {
			break
		}
		above = x.edges[b.edge].node
	}
	return false
}

// backup sets the bounds of a node from its edges.
func (x *search) backup(n int32) {
	b := &x.nodes[n]
	if b.first == none {
		return
	}
	lo, mu := b.base, b.base
	for a := range x.spec.Actions {
		l, u := x.bounds(b.first + int32(a))
		lo, mu = max(lo, l), max(mu, u)
	}
	b.lo, b.mu = max(b.lo, lo), min(b.mu, mu)
}

// expand gives a leaf its edges and what follows them. Where ctx ends, it leaves the leaf as
// it is.
func (x *search) expand(ctx context.Context, n int32) error {
	nodes, edges, scenarios := len(x.nodes), len(x.edges), len(x.scenarios)
	for a := range x.spec.Actions {
		if err := x.addEdge(ctx, n, a); err != nil {
			x.nodes, x.edges, x.scenarios, x.states = x.nodes[:nodes], x.edges[:edges], x.scenarios[:scenarios], x.states[:nodes*len(x.root)]
			return err
		}
	}
	x.nodes[n].first = int32(edges)
	return nil
}

// addEdge plays the scenarios of a node for one step, and adds the nodes that they come to.
func (x *search) addEdge(ctx context.Context, n int32, action int) error {
	b := x.nodes[n]
	e := edge{node: n, first: int32(len(x.nodes))}
	x.child, x.moved, x.counts = x.child[:0], x.moved[:0], x.counts[:0]
	sum := 0.0
	for i, k := range x.scenarios[b.from : b.from+b.count] {
		if err := online.Glance(ctx, i); err != nil {
			return err
		}
		w := x.walk
		w.Start(x.state(n), int(k.latent))
		reward := x.step(k.number, int(b.depth), action)
		sum += reward
		child := int32(none)
		for c := range x.counts {
			if slices.Equal(x.state(e.first+int32(c)), w.State) {
				child = int32(c)
				break
			}
		}
		if child == none || !x.spec.AllowsReward(reward) {
			if err := x.spec.CheckOutcome(bcpace.Outcome{Reward: reward}, w.State, w.Prev, action, int(k.latent)); err != nil {
				return err
			}
		}
		switch {
		case w.Done:
			child = none
		case child == none:
			child = int32(len(x.counts))
			x.counts, x.states = append(x.counts, 0), append(x.states, w.State...)
		}
		if child != none {
			x.counts[child]++
		}
		x.child, x.moved = append(x.child, child), append(x.moved, int32(w.Latent))
	}
	weight := math.Pow(x.spec.Discount, float64(b.depth)) / float64(x.solver.Scenarios)
	e.reward, e.children = weight*sum-x.solver.Regularisation, int32(len(x.counts))
	number := int32(len(x.edges))
	x.edges = append(x.edges, e)
	for c, count := range x.counts {
		from := int32(len(x.scenarios))
		for i, child := range x.child {
			if child == int32(c) {
				x.scenarios = append(x.scenarios, scenario{x.scenarios[b.from+int32(i)].number, x.moved[i]})
			}
		}
		if err := x.addNode(ctx, node{edge: number, depth: b.depth + 1, from: from, count: count}); err != nil {
			return err
		}
	}
	return nil
}

// Decide implements online.Search. Q has ℓ of the actions, and the default policy's action is
// taken where that earns more.
func (x *search) Decide(d *bcpace.Decision) {
	d.Action = 0
	if len(x.nodes) == 0 {
		return
	}
	root := &x.nodes[0]
	d.Action, d.Depth = x.best(0), int(x.deepest)
	if root.first == none {
		return
	}
	for a := range x.spec.Actions {
		lo, _ := x.bounds(root.first + int32(a))
		d.Actions, d.Q, d.Visits = append(d.Actions, a), append(d.Q, lo), append(d.Visits, int(x.edges[root.first+int32(a)].tried))
	}
}
