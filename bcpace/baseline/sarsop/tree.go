package sarsop

import (
	"context"
	"iter"
	"maps"
	"math"
	"runtime/debug"
	"slices"

	"bayescpace/bcpace/baseline/pointbased"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/pomdp"
)

// joint is what there was when all nodes had their bounds made anew together.
type joint struct {
	size   int // of what was solved then
	trials int // deep ones, until then
	visits int // of nodes by trials since
}

// tree holds the beliefs that were visited and the bounds of all x.
type tree struct {
	*pointbased.VectorSet
	upper        []points  // by x
	nodes        []*node   // by age
	at           [][]*node // the same by x
	known        map[uint64]*node
	roots        []root
	stamp        int
	work         []*pointbased.Scratch // by worker
	looks        []*mdp.Informed       // of Ahead, by worker
	table        *mdp.StepTable        // of Ahead, where it fits
	first, draws *tightening
	grids        *tightening
	grid         *triangulation // the last one that lowered the bound at the start, or nil
	near         []corners      // around a belief, by worker
	tight        int            // 1 + times that the first bounds have become tighter
	pool         workerPool
	cand         []int32 // actions of the lower backup under way

	children []child // of the upper backup under way
	branches []pointbased.Branch
	least    float64 // the probability from which on a child has the tighter informed bound

	follows []pointbased.BeliefOutcome // of the action whose vector is made

	merged float64  // the largest distance of a belief to the node that stands for it
	spread float64  // no values are further apart
	slip   float64  // rounding of a backup, at most
	depth  int      // of a trial, at most
	swept  int      // how many nodes there were at the last sweep
	deep   bool     // see deepTrial
	trials int      // deep ones
	cuts   int      // how many deep trials were cut there
	ways   []*taken // of the deep trial under way
	order  []int    // actions

	closes  joint   // of upper bounds
	plans   joint   // of lower bounds
	corners []*node // by state: that of the belief that is certain of it; nil where there are too many
	loops   float64 // how many actions among nodes that are taken for one count

	backups, improved int

	full bool // it takes more than mostBytes

	ctx context.Context // of the search: after its end no bound is made anew
}

// root is an x of the initial belief, its probability and the belief there.
type root struct {
	p float64
	*node
}

// newTree makes the nodes of the initial belief.
func newTree(set *pointbased.VectorSet, workers int) *tree {
	t := &tree{VectorSet: set, ctx: context.Background(), upper: make([]points, set.NX), at: make([][]*node, set.NX), known: make(map[uint64]*node), tight: 1}
	t.spread, t.slip = t.Tolerances(0)
	if t.deep, t.depth = t.Horizon == 0 && t.Rate() < deepRate, firstDepth; t.deep {
		t.depth = shallow
	}
	t.near = make([]corners, workers)
	for range workers {
		t.work = append(t.work, pointbased.NewScratch(t.SearchProblem))
	}
	for x := range t.upper {
		if t.NY == 2 && t.Goal == nil && !t.deep {
			q := make([]float64, t.NA)
			t.upper[x].hull = &hull{[]float64{0, 1}, []float64{t.InitialUpper(q, int32(x), pointbased.Belief{P: []float64{1, 0}}), t.InitialUpper(q, int32(x), pointbased.Belief{P: []float64{0, 1}})}}
		}
	}
	for _, r := range t.Starts() {
		t.roots = append(t.roots, root{r.P, t.nodeOf(r.X, r.Belief)})
	}
	return t
}

// nodeOf returns the node of (x, b), with its first bounds where it is new.
func (t *tree) nodeOf(x int32, b pointbased.Belief) *node {
	k := child{BeliefOutcome: pointbased.NewOutcome(pointbased.Branch{X: x}), q: make([]float64, t.NA), upper: math.Inf(1)}
	t.childUpper(0, &k, b, 1)
	t.RaiseAt(&k.Best, x, b)
	return t.visit(&k, b)
}

// bounds returns the bounds at the initial belief, where x is seen before the
// first action: those of the roots, weighted by their probabilities.
//
// The upper bound has the tolerances added. Where a node stands for a belief at distance
// d, the optimal value differs by d·spread/2 at most, as it is the highest of vectors
// whose entries are within spread. If upper bounds are false by η, a backup makes one
// that is false by γ(η + d·spread/2) + slip, which is η again at the η below (without a
// discount, the steps left bound how often that happens). Where there is a Goal, every backup
// has both added, see support.slack, and nodes that are taken for one have the first one added once, as
// if no more than a million of their actions followed one another (see closeUpper).
func (t *tree) bounds() (lower, upper float64) {
	for _, r := range t.roots {
		lower += r.p * r.Lower
		upper += r.p * r.upper
	}
	if t.Goal != nil {
		return lower, upper + 2*t.Slip + t.loops*t.merged*t.spread
	}
	return lower, upper + (t.Discount*t.merged*t.spread/2+2*t.slip)/t.Rate()
}

// visit returns the node of k, whose belief is b.
func (t *tree) visit(k *child, b pointbased.Belief) *node {
	if k.node != nil {
		return k.node
	}
	h := b.Key(k.X)
	n := t.known[h]
	if n == nil || n.X != k.X || !n.Near(b) || t.Goal != nil && n.lacks(b) > mostLack {
		n = &node{BeliefPoint: t.NewPoint(k.X, b, k.Best), q: append([]float64(nil), k.q...), f: k.f, upper: k.upper, point: -1}
		n.sig = n.Signature()
		t.known[h] = n
		t.at[k.X] = append(t.at[k.X], n)
		t.nodes = append(t.nodes, n)
		if t.deep { // there is more to look at
			t.improved++
		}
	} else {
		t.merged = max(t.merged, n.Distance(b))
		if t.Goal != nil && k.more != nil {
			k.more.slack = n.lacks(b) * t.spread
		}
	}
	k.node = n
	return n
}

// childNode returns the node of outcome i of action a at n.
func (t *tree) childNode(n *node, a, i int) *node {
	k := &n.acts[a].children[i]
	if k.node != nil {
		return k.node
	}
	return t.visit(k, t.work[0].Branches(t.SearchProblem, n.X, n.Belief, a)[i].Belief)
}

// expand makes the actions of n.
func (t *tree) expand(n *node) {
	if n.acts != nil {
		return
	}
	n.acts = make([]act, t.NA)
	base := int(n.X) * t.NY
	for a := range n.acts {
		n.acts[a] = act{reward: n.Dot(t.Reward[a][base : base+t.NY]), upper: math.Inf(1), lower: math.Inf(-1)}
		n.acts[a].pay = t.Pay(n.acts[a].reward, &n.BeliefPoint, a)
	}
	t.lookAhead(n)
}

// outcomes returns the branches of action a at n, and makes its children where it has
// none. It returns nil where all of them are nodes, which have beliefs of their own.
func (t *tree) outcomes(w *pointbased.Scratch, n *node, a int) []pointbased.Branch {
	k := &n.acts[a]
	if k.children != nil && k.visited() {
		return nil
	}
	out := w.Branches(t.SearchProblem, n.X, n.Belief, a)
	if k.children == nil {
		k.children = make([]child, len(out))
		var more []support
		if t.deep {
			more = make([]support, len(out))
		}
		for i, b := range out {
			k.children[i] = child{BeliefOutcome: pointbased.NewOutcome(b), upper: math.Inf(1)}
			if t.deep {
				k.children[i].more = &more[i]
			}
		}
	}
	return out
}

// visited reports whether all outcomes lead to their own nodes.
func (a *act) visited() bool {
	for i := range a.children {
		if a.children[i].node == nil {
			return false
		}
	}
	return true
}

// trim forgets what can no longer matter: the outcomes of actions whose upper
// bound is below the lower bound of their node, and the nodes that are reached
// by such actions alone (Kurniawati et al. 2008, Section III-D).
func (t *tree) trim() {
	var stack []*node
	push := func(n *node) {
		if !n.live {
			n.live = true
			stack = append(stack, n)
		}
	}
	for _, r := range t.roots {
		push(r.node)
	}
	for _, n := range t.corners {
		push(n)
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for a := range n.acts {
			act := &n.acts[a]
			if act.upper < n.Lower {
				act.children = nil
			}
			for i := range act.children {
				if c := act.children[i].node; c != nil {
					push(c)
				}
			}
		}
	}
	dead := func(n *node) bool { return !n.live }
	maps.DeleteFunc(t.known, func(_ uint64, n *node) bool { return dead(n) })
	for x, nodes := range t.at {
		t.at[x] = slices.DeleteFunc(nodes, dead)
	}
	for _, n := range t.nodes {
		if !n.live {
			t.upper[n.X].remove(n)
		}
	}
	t.nodes = slices.DeleteFunc(t.nodes, dead)
	for _, n := range t.nodes {
		n.live = false
	}
}

// policy returns a policy that earns the lower bound at the start.
func (t *tree) policy(ctx context.Context) *pomdp.VectorPolicy {
	var roots []pointbased.Root
	for _, r := range t.roots {
		roots = append(roots, pointbased.Root{Share: r.p, BeliefPoint: &r.BeliefPoint})
	}
	return t.Policy(ctx, roots, t.points(), t.backups)
}

// points are those of the nodes.
func (t *tree) points() iter.Seq[*pointbased.BeliefPoint] {
	return func(yield func(*pointbased.BeliefPoint) bool) {
		for _, n := range t.nodes {
			if !yield(&n.BeliefPoint) {
				return
			}
		}
	}
}

// mostBytes is how much memory the nodes and the vectors of a tree may take, about; where the environment variable GOMEMLIMIT sets a limit
// for the program, it is half of that. The program takes up to twice as much, as what is no longer used is not freed at once.
var mostBytes = 1 << 30

// allowed is that memory.
func allowed() int {
	if own := debug.SetMemoryLimit(-1); own < math.MaxInt64 {
		return int(own / 2)
	}
	return mostBytes
}

// What a node, an action and an outcome take beside what grows with the model.
const (
	nodeBytes  = 400
	actBytes   = 80
	childBytes = 160
)

// bound drops all vectors that are best at no node where the tree takes too much memory, and notes where it still does. What it counts
// depends on the search alone, so that the search ends at the same place on every machine.
func (t *tree) bound() {
	most := allowed()
	if t.bytes() <= most {
		return
	}
	for x, nodes := range t.at {
		if len(nodes) > 0 { // others keep their vectors for the nodes to come
			t.drop(int32(x))
		}
	}
	t.full = t.bytes() > most
}

// bytes returns about how much memory the tree takes.
func (t *tree) bytes() int {
	sum := t.Bytes()
	for _, n := range t.nodes {
		sum += nodeBytes + 12*len(n.P) + 8*len(n.q) + actBytes*len(n.acts)
		for a := range n.acts {
			for i := range n.acts[a].children {
				sum += childBytes + 8*len(n.acts[a].children[i].q)
			}
		}
	}
	return sum
}
