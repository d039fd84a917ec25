package sarsop

import (
	"math"
	"slices"
)

// node is a belief of the tree, at one x. Beliefs that are the same but for
// rounding share a node, however they are reached.
type node struct {
	x int32
	belief
	sig    uint64
	q      []float64 // Q_a·b of the initial upper bound, by action
	f      float64   // the largest of them
	lower  float64
	vec    *vector // attains lower
	seen   int     // the youngest vector of x that lower takes account of
	upper  float64
	point  int   // place among the points of x, or −1
	acts   []act // by action; nil before the first visit
	live   bool  // mark of pruning
	origin *origin
}

// act is an action at a node.
type act struct {
	reward float64
	lower  float64
	upper  float64
	stamp  int   // of the backup that made upper anew
	kids   []kid // outcomes by x' and observation; nil before the action is looked at
}

// kid is an outcome of an action at a node. Until it is visited it has bounds,
// but its belief is computed again where it is needed.
type kid struct {
	x, o  int32
	p     float64
	node  *node // nil before the visit
	lower float64
	vec   *vector
	seen  int // the youngest vector that lower takes account of
	upper float64
	f     float64
	q     []float64
	known int // the latest point that upper takes account of
}

// tree holds the beliefs that were visited and the bounds of all x.
type tree struct {
	*problem
	q     [][]float64 // initial upper bound, by action and state
	gamma []vectors   // by x
	upper []points    // by x
	nodes []*node     // by age
	at    [][]*node   // the same by x
	table map[uint64]*node
	roots []root
	stamp int
	work  []*scratch // by worker
	pool  workerPool
	cand  []int32 // actions of the lower backup under way

	kids     []kid // of the upper backup under way
	branches []branch

	marks   int       // walks that marked vectors, so far
	dropped []*vector // of the pruning under way

	merged float64 // the largest distance of a belief to the node that stands for it
	spread float64 // no values are further apart
	slip   float64 // rounding of a backup, at most

	backups, improved int
}

// root is an x of the initial belief, its probability and the belief there.
type root struct {
	p float64
	*node
}

// newTree makes the nodes of the initial belief.
func newTree(p *problem, q [][]float64, gamma []vectors, workers int) *tree {
	t := &tree{problem: p, q: q, gamma: gamma, upper: make([]points, p.nx), at: make([][]*node, p.nx), table: make(map[uint64]*node)}
	t.tolerances()
	for range workers {
		t.work = append(t.work, newScratch(p))
	}
	w := t.work[0]
	for i := 0; i < len(p.Start); {
		x := int(p.Start[i].At) / p.ny
		w.used, w.out = 0, w.out[:0]
		b := w.buffer(p.ny)
		n := 0
		for ; i < len(p.Start) && int(p.Start[i].At)/p.ny == x; i++ {
			b.at[n], b.p[n] = p.Start[i].At%int32(p.ny), p.Start[i].Value
			n++
		}
		w.add(p, int32(x), 0, belief{b.at[:n], b.p[:n]})
		for _, r := range w.out {
			k := kid{x: r.x, q: make([]float64, p.na), lower: math.Inf(-1)}
			t.kidUpper(w, &k, r.belief)
			t.kidLower(&k, r.belief)
			t.roots = append(t.roots, root{r.p, t.visit(&k, r.belief)})
		}
	}
	return t
}

// tolerances sets spread and slip. A backup sums over successors and observations, and
// its outcomes over y; a term of a sum is rounded by 2⁻⁵³ of the largest value at most.
func (t *tree) tolerances() {
	low, high, terms := math.Inf(1), math.Inf(-1), 0
	for a, list := range t.Reward {
		low, high = min(low, slices.Min(list)), max(high, slices.Max(list))
		for s := range list {
			terms = max(terms, t.Move[a].Row[s+1]-t.Move[a].Row[s])
		}
	}
	t.spread = (high - low) / t.Rate()
	t.slip = float64(terms+t.fan+t.ny+8) * 0x1p-53 * max(high, -low) / t.Rate()
}

// bounds returns the bounds at the initial belief, where x is seen before the
// first action: those of the roots, weighted by their probabilities.
//
// The upper bound has the tolerances added. Where a node stands for a belief at distance
// d, the optimal value differs by d·spread/2 at most, as it is the highest of vectors
// whose entries are within spread. If upper bounds are false by η, a backup makes one
// that is false by γ(η + d·spread/2) + slip, which is η again at the η below (without a
// discount, the steps left bound how often that happens).
func (t *tree) bounds() (lower, upper float64) {
	for _, r := range t.roots {
		lower += r.p * r.lower
		upper += r.p * r.upper
	}
	return lower, upper + (t.Discount*t.merged*t.spread/2+2*t.slip)/t.Rate()
}

// visit returns the node of k, whose belief is b.
func (t *tree) visit(k *kid, b belief) *node {
	if k.node != nil {
		return k.node
	}
	h := b.key(k.x)
	n := t.table[h]
	if n == nil || n.x != k.x || !n.near(b) {
		n = &node{x: k.x, belief: b.clone(), q: append([]float64(nil), k.q...), f: k.f, lower: k.lower, vec: k.vec, seen: k.seen, upper: k.upper, point: -1, origin: new(origin)}
		n.sig = n.signature()
		t.table[h] = n
		t.at[k.x] = append(t.at[k.x], n)
		t.nodes = append(t.nodes, n)
		t.nodeLower(n)
		if n.vec.dropped { // the policy needs it again
			n.vec = t.gamma[n.x].add(*n.vec)
			n.seen = n.vec.id
		}
	} else {
		t.merged = max(t.merged, n.distance(b))
	}
	k.node = n
	return n
}

// child returns the node of outcome i of action a at n.
func (t *tree) child(n *node, a, i int) *node {
	k := &n.acts[a].kids[i]
	if k.node != nil {
		return k.node
	}
	return t.visit(k, t.work[0].branches(t.problem, n.x, n.belief, a)[i].belief)
}

// expand makes the actions of n.
func (t *tree) expand(n *node) {
	if n.acts != nil {
		return
	}
	n.acts = make([]act, t.na)
	base := int(n.x) * t.ny
	for a := range n.acts {
		n.acts[a] = act{reward: n.dot(t.Reward[a][base : base+t.ny]), upper: n.q[a], lower: math.Inf(-1)}
	}
}

// outcomes returns the branches of action a at n, and makes its kids where it has
// none. It returns nil where all of them are nodes, which have beliefs of their own.
func (t *tree) outcomes(w *scratch, n *node, a int) []branch {
	k := &n.acts[a]
	if k.kids != nil {
		visited := true
		for i := range k.kids {
			visited = visited && k.kids[i].node != nil
		}
		if visited {
			return nil
		}
	}
	out := w.branches(t.problem, n.x, n.belief, a)
	if k.kids == nil {
		k.kids = make([]kid, len(out))
		for i, b := range out {
			k.kids[i] = kid{x: b.x, o: b.o, p: b.p, lower: math.Inf(-1), upper: math.Inf(1)}
		}
	}
	return out
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
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for a := range n.acts {
			act := &n.acts[a]
			if act.upper < n.lower {
				act.kids = nil
			}
			for i := range act.kids {
				if c := act.kids[i].node; c != nil {
					push(c)
				}
			}
		}
	}
	for h, n := range t.table {
		if !n.live {
			delete(t.table, h)
		}
	}
	for x, nodes := range t.at {
		t.at[x] = living(nodes)
	}
	for _, n := range t.nodes {
		if !n.live {
			t.upper[n.x].remove(n)
		}
	}
	t.nodes = living(t.nodes)
	for _, n := range t.nodes {
		n.live = false
	}
}

// living keeps the nodes that are marked, in place.
func living(nodes []*node) []*node {
	kept := nodes[:0]
	for _, n := range nodes {
		if n.live {
			kept = append(kept, n)
		}
	}
	clear(nodes[len(kept):])
	return kept
}
