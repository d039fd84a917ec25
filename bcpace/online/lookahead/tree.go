package lookahead

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/sparse"
	"bayescpace/bcpace/online"
)

// none is the number of no node and of no edge.
const none = -1

// node is a way from the root to a point.
type node struct {
	// gap is the largest contribution of a leaf below an inner node to its gap, as AEMS2 has
	// it, when it was last backed up.
	gap   float64
	prob  float64 // of the node, given the action that led here
	point int32
	edge  int32 // that led here; none at the root
	first int32 // its edges are first, first+1, … by action; none for a leaf
	depth int32 // steps since the tree began, those before the root included
}

// edge is an action at a node.
type edge struct {
	reward float64 // R(s, b, a)
	lo, up float64 // bounds of the value in the tree
	high   float64 // upper bound of Q*
	spread float64 // of Children
	most   float64 // of Children
	node   int32
	// What follows, but for what ends the episode: the nodes first, first+1, …
	first, children int32
	expanded        int32 // leaves that were expanded below
}

// tree is the search. It implements online.Search, for one goroutine.
type tree struct {
	table
	spec   bcpace.Spec
	source Source
	most   int // points and nodes

	nodes   []node
	edges   []edge
	deepest int32

	children Children // of the last action
	apart    float64  // how far the root's belief is from that of the decision, in L1

	// Room for Advance.
	spareNodes []node
	spareEdges []edge
}

const (
	// maxBytes bounds the memory of a search; a decision that comes to it ends.
	maxBytes = 1 << 29
	// closed is the length of an interval that bounds at the leaves do not tell from 0, as a
	// share of the range of values.
	closed = 1e-9
)

func newTree(spec bcpace.Spec, x BoundedSearch, source Source) *tree {
	axes, latents := len(spec.Axes), len(spec.Latents)
	const pointBytes, nodeBytes = 40, 2 * (40 + 64) // nodes and edges, and the room for Advance
	return &tree{table: table{search: x, axes: axes, latents: latents, unlike: !source.Bounds()}, spec: spec, source: source,
		most: maxBytes / (8*(axes+latents) + pointBytes + nodeBytes)}
}

// Root implements online.Search.
func (t *tree) Root(s []float64, b bcpace.Belief) {
	if len(t.points) > t.most/2 || t.unlike { // make room
		t.Forget()
	}
	p := t.point(s, b)
	if len(t.nodes) == 0 || t.nodes[0].point != p {
		t.nodes, t.edges, t.deepest = t.nodes[:0], t.edges[:0], 0
		t.nodes = append(t.nodes, node{point: p, edge: none, first: none})
	}
	t.apart = t.belief(p).L1(b)
}

// Forget implements online.Search.
func (t *tree) Forget() {
	t.clear()
	t.nodes, t.edges, t.deepest = t.nodes[:0], t.edges[:0], 0
}

// Simulate implements online.Search: it expands a leaf, unless it finds that the leaf is closed
// by what other ways to it have shown. No more is to be done where the interval is short, one
// action is best, or the tree is as large as it may be.
func (t *tree) Simulate(ctx context.Context, rng *rand.Rand) (more bool, err error) {
	if t.settled() {
		return false, nil
	}
	n := int32(0)
	for t.nodes[n].first != none {
		_, child := t.promising(n)
		if child == none {
			break
		}
		n = child
	}
	expanded := int32(0)
	if t.nodes[n].first == none {
		if err := t.expand(ctx, n, rng); err != nil {
			return false, err
		}
		expanded = 1
	}
	for {
		t.backup(n)
		e := t.nodes[n].edge
		if e == none {
			break
		}
		t.backupEdge(e)
		t.edges[e].expanded += expanded
		n = t.edges[e].node
	}
	return !t.settled(), nil
}

// settled reports whether a search from the root is at its end.
func (t *tree) settled() bool {
	root := &t.nodes[0]
	at := &t.points[root.point]
	switch {
	case at.up-at.lo <= max(t.search.Epsilon, closed*t.valueRange()) || len(t.points) >= t.most || len(t.nodes) >= t.most:
		return true
	case root.first == none:
		return false // the actions are to be compared
	case root.gap == 0:
		return true // as the tree may be no deeper
	}
	best := t.bestEdge(0)
	for a := range t.spec.Actions {
		if e := root.first + int32(a); e != best && t.edges[e].up > t.edges[best].lo {
			return false
		}
	}
	return true
}

func (t *tree) valueRange() float64 { return t.spec.VMax() - t.spec.VMin() }

// bestEdge returns the edge of an inner node with the largest lower bound; of equal ones that
// with the largest upper bound.
func (t *tree) bestEdge(n int32) int32 {
	best := t.nodes[n].first
	for e := best + 1; e < t.nodes[n].first+int32(len(t.spec.Actions)); e++ {
		x, y := &t.edges[e], &t.edges[best]
		if x.lo > y.lo || x.lo == y.lo && x.up > y.up {
			best = e
		}
	}
	return best
}

// promising returns the largest contribution to the gap at an inner node of a leaf below the
// action with the largest upper bound, and the child above that leaf; none without any.
func (t *tree) promising(n int32) (gap float64, child int32) {
	edges := t.edges[t.nodes[n].first:]
	_, best := num.Largest(len(t.spec.Actions), func(a int) float64 { return edges[a].up })
	e := &edges[best]
	child = none
	for c := e.first; c < e.first+e.children; c++ {
		if x := t.spec.Discount * t.nodes[c].prob * t.gap(c); x > gap {
			gap, child = x, c
		}
	}
	return gap, child
}

// gap returns the largest contribution of a leaf at or below a node to its gap.
func (t *tree) gap(n int32) float64 {
	x := &t.nodes[n]
	if x.first != none {
		return x.gap
	}
	if d := t.search.Budget.Depth; d > 0 && int(x.depth-t.nodes[0].depth) >= d {
		return 0
	}
	p := &t.points[x.point]
	return p.up - p.lo
}

// expand gives a leaf its edges and what follows them. Where ctx ends, it leaves the leaf as
// it is.
func (t *tree) expand(ctx context.Context, n int32, rng *rand.Rand) error {
	nodes, edges := len(t.nodes), len(t.edges)
	at, depth, x := t.nodes[n].point, t.nodes[n].depth+1, &t.children
	for a := range t.spec.Actions {
		err := ctx.Err()
		if err == nil {
			err = t.source.List(x, t.state(at), t.belief(at), a, rng)
		}
		if err != nil {
			t.nodes, t.edges = t.nodes[:nodes], t.edges[:edges]
			return err
		}
		number := int32(len(t.edges))
		e := edge{node: n, reward: x.Reward, spread: x.Spread, most: x.Most, first: int32(len(t.nodes)), children: int32(x.Len())}
		for i, w := range x.Prob {
			t.nodes = append(t.nodes, node{prob: w, point: t.point(x.State(i), x.Belief(i)), edge: number, first: none, depth: depth})
		}
		t.edges = append(t.edges, e)
		t.backupEdge(number)
	}
	t.nodes[n].first = int32(edges)
	t.deepest = max(t.deepest, depth)
	return nil
}

// backupEdge sets the bounds of an edge from those of what follows.
func (t *tree) backupEdge(number int32) {
	e := &t.edges[number]
	lo, up, high := 0.0, 0.0, e.spread
	for c := e.first; c < e.first+e.children; c++ {
		p, w := &t.points[t.nodes[c].point], t.nodes[c].prob
		lo += w * p.lo
		up += w * p.up
		high += w * p.high
	}
	γ := t.spec.Discount
	e.lo, e.up, e.high = e.reward+γ*lo, e.reward+γ*up, e.reward+γ*min(high, e.most)
}

// backup sets the gap of an inner node, and the bounds of its point if its edges have better
// ones.
func (t *tree) backup(n int32) {
	x := &t.nodes[n]
	p := &t.points[x.point]
	best, up, high := t.bestEdge(n), math.Inf(-1), math.Inf(-1)
	for a := range t.spec.Actions {
		e := &t.edges[x.first+int32(a)]
		up, high = max(up, e.up), max(high, e.high)
	}
	if lo := t.edges[best].lo; lo >= p.lo-sameBelief*t.valueRange() {
		p.lo, p.action = max(p.lo, lo), best-x.first
	}
	p.up, p.high = max(p.lo, min(p.up, up)), max(p.lo, min(p.high, high))
	x.gap, _ = t.promising(n)
}

// Decide implements online.Search. Q has lower bounds of Q*, the largest of which is that of
// the action.
func (t *tree) Decide(d *bcpace.Decision) {
	root := &t.nodes[0]
	p := &t.points[root.point]
	margin := t.margin()
	d.Action, d.Depth = int(p.action), int(t.deepest-root.depth)
	if t.source.Bounds() {
		d.Lower, d.Upper = p.lo-margin, p.high+margin
	}
	if root.first == none {
		return
	}
	for a := range t.spec.Actions {
		e := &t.edges[root.first+int32(a)]
		d.Actions, d.Q, d.Visits = append(d.Actions, a), append(d.Q, e.lo-margin), append(d.Visits, int(e.expanded))
	}
}

// margin returns by how much bounds may be wrong as they are computed. A backup is a sum of a
// term for each latent and each next state, rounded, of points whose beliefs stand for others,
// and its error adds up over the steps.
func (t *tree) margin() float64 {
	const half = 0x1p-53
	terms := float64(4 + len(t.spec.Latents) + t.children.Len())
	each := terms*half*max(t.spec.VMax(), -t.spec.VMin()) + 2*sameBelief*t.valueRange()
	return each/t.spec.Rate() + t.apart*t.valueRange()
}

// Advance implements online.Search: the node that follows is the root, and the nodes that are
// not below it are removed. Points stay.
func (t *tree) Advance(action int, next []float64) {
	root := t.after(action, next)
	nodes, edges := t.spareNodes[:0], t.spareEdges[:0]
	t.deepest = 0
	if root != none {
		x := t.nodes[root]
		x.edge = none
		nodes = append(nodes, x)
	}
	for i := 0; i < len(nodes); i++ {
		from := nodes[i].first
		if from == none {
			t.deepest = max(t.deepest, nodes[i].depth)
			continue
		}
		nodes[i].first = int32(len(edges))
		for _, e := range t.edges[from : from+int32(len(t.spec.Actions))] {
			first := int32(len(nodes))
			for _, x := range t.nodes[e.first : e.first+e.children] {
				x.edge = int32(len(edges))
				nodes = append(nodes, x)
			}
			e.node, e.first = int32(i), first
			edges = append(edges, e)
		}
	}
	t.nodes, t.spareNodes = nodes, t.nodes
	t.edges, t.spareEdges = edges, t.edges
	for n := int32(len(nodes)) - 1; n >= 0; n-- { // by what other ways have shown, and a new depth
		if nodes[n].first != none {
			for a := range t.spec.Actions {
				t.backupEdge(nodes[n].first + int32(a))
			}
			t.backup(n)
		}
	}
}

// after returns the node that follows the root by an action in a state, or none.
func (t *tree) after(action int, s []float64) int32 {
	if len(t.nodes) == 0 || t.nodes[0].first == none {
		return none
	}
	e := &t.edges[t.nodes[0].first+int32(action)]
	for c := e.first; c < e.first+e.children; c++ {
		if slices.Equal(t.state(t.nodes[c].point), s) {
			return c
		}
	}
	return none
}

// point is a state with a belief, and what is known of its value. Nodes that come to it on
// different ways share it, and it stays when they have gone.
type point struct {
	lo, up float64 // bounds of the value in the tree, where children may stand for several
	high   float64 // upper bound of V*, of which lo is a lower bound too
	action int32   // of which lo is a bound
}

// table holds the points of an episode.
type table struct {
	search        BoundedSearch
	axes, latents int

	points  []point
	states  []float64 // by point
	beliefs []float64 // by point
	index   sparse.HashIndex
	unlike  bool // every node has a point of its own
}

const (
	// sameBelief is how far apart in L1 the beliefs may be that share a point: much farther
	// than ways of computing a belief differ by rounding, and so near that values hardly do.
	sameBelief = 1e-12
	// hashGrain is the grain of what the table finds beliefs by. Those of one belief may fall
	// to either side of a grain's border by rounding, and then are two points.
	hashGrain = 0x1p30
)

// clear removes all points.
func (t *table) clear() {
	t.index.Clear()
	t.points, t.states, t.beliefs = t.points[:0], t.states[:0], t.beliefs[:0]
}

func (t *table) state(p int32) []float64 {
	return t.states[int(p)*t.axes : int(p+1)*t.axes : int(p+1)*t.axes]
}

func (t *table) belief(p int32) bcpace.Belief {
	return t.beliefs[int(p)*t.latents : int(p+1)*t.latents : int(p+1)*t.latents]
}

// point returns the point of a state and belief, which it adds if it is not there.
func (t *table) point(s []float64, b bcpace.Belief) (number int32) {
	if t.unlike {
		return t.add(s, b)
	}
	h := hash(s, b)
	number = t.index.Find(h, func(p int32) bool { return slices.Equal(t.state(p), s) && t.belief(p).L1(b) <= sameBelief })
	if number < 0 {
		number = t.add(s, b)
		t.index.Add(h)
	}
	return number
}

// add adds a point with the bounds of a leaf.
func (t *table) add(s []float64, b bcpace.Belief) (number int32) {
	lo, action := t.search.Bounds.Lower(s, b)
	up := t.search.Bounds.Upper(s, b)
	if err := t.search.crossed(s, b, lo, up); err != nil {
		panic(err) // which Plan returns
	}
	up = max(lo, up) // they may cross by rounding
	t.points = append(t.points, point{lo: lo, up: up, high: up, action: int32(action)})
	t.states, t.beliefs = append(t.states, s...), append(t.beliefs, b...)
	return int32(len(t.points)) - 1
}

// hash mixes a state and a belief in grains.
func hash(s []float64, b bcpace.Belief) (h uint64) {
	for _, x := range s {
		h = sparse.Mixed(h, math.Float64bits(x+0)) // −0 + 0 is 0
	}
	for _, p := range b {
		h = sparse.Mixed(h, uint64(math.Round(p*hashGrain)))
	}
	return h
}

// Top implements online.Shower.
func (t *tree) Top(most int) ([]bcpace.SearchNode, error) {
	margin := t.margin()
	return online.Top(min(most, len(t.nodes)), t.visits, t.follow, func(number int32) bcpace.SearchNode {
		n := &t.nodes[number]
		p := &t.points[n.point]
		shown := bcpace.SearchNode{
			Prob: n.prob, State: slices.Clone(t.state(n.point)), Belief: slices.Clone(t.belief(n.point)),
			Depth: int(n.depth - t.nodes[0].depth), Value: p.lo - margin, Lower: math.Inf(-1), Upper: math.Inf(1), Best: int(p.action),
		}
		if t.source.Bounds() {
			shown.Lower, shown.Upper = p.lo-margin, p.high+margin
		}
		if n.edge != none {
			shown.Action = int(n.edge - t.nodes[t.edges[n.edge].node].first)
		}
		return shown
	}), nil
}

// visits returns how many nodes were expanded from a node on.
func (t *tree) visits(n int32) int {
	first := t.nodes[n].first
	if first == none {
		return 0
	}
	sum := 1
	for _, e := range t.edges[first : first+int32(len(t.spec.Actions))] {
		sum += int(e.expanded)
	}
	return sum
}

// follow appends the nodes that follow a node.
func (t *tree) follow(list []int32, n int32) []int32 {
	first := t.nodes[n].first
	if first == none {
		return list
	}
	for _, e := range t.edges[first : first+int32(len(t.spec.Actions))] {
		for c := e.first; c < e.first+e.children; c++ {
			list = append(list, c)
		}
	}
	return list
}
