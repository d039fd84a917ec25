package adaops

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/sparse"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/online/tree"
	"bayescpace/bcpace/online/vectors"
)

// beliefs is the search: a tree whose nodes have particles. It implements online.Search.
type beliefs struct {
	tree.Trials
	model     *hidden.Model
	o         Solver
	leaves    *vectors.Leaves
	metric    metric.Metric
	axes, dim int

	root   []float64
	belief hidden.Belief
	fresh  bool // no particle was drawn yet
	rng    *rand.Rand

	particles []particles // by node
	states    []float64   // by node
	x         []float64   // rows of hidden vectors
	weight    []float64

	cell  []float64 // lengths, by hidden axis; 0 for an axis that has no cells
	cells []uint64  // room: of particles
	after follows
	moved moved
	at    points // room
}

// particles of a node are n rows of x and n entries of weight, from those places on.
type particles struct{ x, weight, n int32 }

// maxNumbers bounds the memory of a decision, about 200 megabytes; one that comes to it ends.
const maxNumbers = 1 << 24

func newBeliefs(m *hidden.Model, table *vectors.GuessTable, o Solver) *beliefs {
	t := &beliefs{Trials: tree.Trials{Actions: len(m.Spec.Actions)}, model: m, o: o, leaves: vectors.NewLeaves(m, table, o.Budget.Depth), metric: metricOf(m.Spec.Spec, false),
		axes: len(m.Spec.Axes), dim: len(m.Spec.Hidden), root: make([]float64, len(m.Spec.Axes)), cell: make([]float64, len(m.Spec.Hidden))}
	t.at.tree, t.moved.tree = t, t
	t.after.first = map[uint64]int32{}
	return t
}

// Root implements online.Search.
func (t *beliefs) Root(s []float64, b hidden.Belief) {
	copy(t.root, s)
	t.belief, t.fresh = b, true
	t.clear()
}

func (t *beliefs) clear() {
	t.Clear()
	t.particles, t.states, t.x, t.weight = t.particles[:0], t.states[:0], t.x[:0], t.weight[:0]
}

// Simulate implements online.Search: a trial, before the first of which the particles of the root are drawn.
func (t *beliefs) Simulate(ctx context.Context, rng *rand.Rand) (more bool, err error) {
	t.rng = rng
	if t.fresh {
		if err := t.begin(ctx); err != nil {
			t.clear()
			return false, err
		}
		t.fresh = false
	}
	if len(t.x)+len(t.weight) > maxNumbers {
		return false, nil
	}
	return t.Trial(func(n int32) error { return t.expand(ctx, n) })
}

// begin makes the root.
func (t *beliefs) begin(ctx context.Context) error {
	t.clear()
	t.states = append(t.states, t.root...)
	t.draw(t.belief, t.rng)
	if err := t.leaves.Begin(ctx, t.root, t.of(0), t.o.Budget.Depth, t.rng); err != nil {
		return err
	}
	return t.addRoot(ctx)
}

// draw draws the particles of the root, as many as KLD sampling asks for.
func (t *beliefs) draw(b hidden.Belief, rng *rand.Rand) {
	n := t.o.Most
	t.x = slices.Grow(t.x[:0], n*t.dim)[:n*t.dim]
	vectors.Draws(t.x, n, b, rng)
	for j, a := range t.model.Spec.Hidden {
		if t.cell[j] = 1; !a.Whole() {
			t.cell[j] = deviation(t.x[j:], t.dim, n) / 2
		}
	}
	t.cells = t.cells[:0]
	for i := range n {
		t.cells = append(t.cells, t.cellOf(t.row(int32(i))))
	}
	n = t.number()
	t.x = t.x[:n*t.dim]
	vectors.Draws(t.x, n, b, rng)
	t.weight = t.weight[:0]
	for range n {
		t.weight = append(t.weight, 1/float64(n))
	}
	t.particles = append(t.particles[:0], particles{0, 0, int32(n)})
}

// deviation returns the standard deviation of n numbers that stand so far apart.
func deviation(x []float64, apart, n int) float64 {
	mean, variance := 0.0, 0.0
	for i := range n {
		mean += x[i*apart] / float64(n)
	}
	for i := range n {
		variance += (x[i*apart] - mean) * (x[i*apart] - mean) / float64(n)
	}
	return math.Sqrt(variance)
}

// cellOf returns a number of the cell that a hidden vector is in.
func (t *beliefs) cellOf(x []float64) (h uint64) {
	for j, v := range x {
		cell := 0.0
		if t.cell[j] > 0 {
			cell = math.Floor(v / t.cell[j])
		}
		h = sparse.Mixed(h, math.Float64bits(cell+0)) // −0 + 0 is 0
	}
	return h
}

// number returns how many particles KLD sampling asks for, where cells are those of the particles that there are.
func (t *beliefs) number() int {
	slices.Sort(t.cells)
	occupied := len(slices.Compact(t.cells))
	return min(max(kld(occupied, t.o.Zeta), t.o.Least), t.o.Most)
}

// kld returns the number of draws with which the Kullback–Leibler divergence of their shares from a distribution on so
// many cells is at most zeta with probability 0.95 (Fox 2001, equation 7, with the approximation of Wilson and Hilferty).
func kld(cells int, zeta float64) int {
	const z = 1.6448536269514722 // the quantile of the standard normal distribution
	if cells < 2 {
		return 1
	}
	k := float64(cells - 1)
	r := 1 - 2/(9*k) + math.Sqrt(2/(9*k))*z
	return int(min(math.Ceil(k/(2*zeta)*r*r*r), maxParticles))
}

func (t *beliefs) row(i int32) []float64 { return t.x[int(i)*t.dim : int(i+1)*t.dim : int(i+1)*t.dim] }

func (t *beliefs) state(n int32) []float64 {
	return t.states[int(n)*t.axes : int(n+1)*t.axes : int(n+1)*t.axes]
}

// weights returns those of the particles of a node, a view.
func (t *beliefs) weights(n int32) []float64 {
	p := t.particles[n]
	return t.weight[p.weight : p.weight+p.n]
}

// addRoot adds the root, whose state and particles are there. The error may be that of ctx.
func (t *beliefs) addRoot(ctx context.Context) error {
	_, upper, _, err := t.leaves.Of(t.root, t.of(0))
	if err != nil {
		return err
	}
	base, action, err := t.leaves.Earned(ctx, t.root, t.of(0), t.o.Budget.Depth)
	if err != nil {
		return err
	}
	t.AddLeaf(tree.TrialNode{Edge: tree.None, Share: 1, Action: int32(action)}, 1, base, upper, false)
	return nil
}

// addNode adds a leaf for node k of the packing, whose state and particles are there. The error may be that of ctx.
func (t *beliefs) addNode(ctx context.Context, n tree.TrialNode, k int) error {
	number := int32(len(t.Nodes))
	s, left := t.state(number), t.o.Budget.Depth-int(n.Depth)
	base, upper, told, err := t.leaves.Of(s, t.of(number))
	if err == nil && !told {
		base, err = t.blind(ctx, k, left)
	}
	if err != nil {
		return err
	}
	base, action, err := t.leaves.Better(ctx, s, t.fewOf(number), left, base)
	if err != nil {
		return err
	}
	n.Action = int32(action)
	t.AddLeaf(n, math.Pow(t.model.Spec.Discount, float64(n.Depth))*n.Share, base, upper, left <= 0)
	return nil
}

// blind returns what one action always earns in node k of the packing, in so many steps. It is played by each moved
// particle once, for all nodes. The error may be that of ctx.
func (t *beliefs) blind(ctx context.Context, k, steps int) (value float64, err error) {
	if !t.after.played {
		if err := t.play(ctx, steps); err != nil {
			return 0, err
		}
	}
	for i, w := range t.after.nodes.mean(k) {
		value += w * t.after.blind[i]
	}
	return value, nil
}

// expand gives a leaf its edges and what follows them. Where ctx ends, it leaves the leaf as it is.
func (t *beliefs) expand(ctx context.Context, n int32) error {
	nodes, x, weight := len(t.Nodes), len(t.x), len(t.weight)
	for a := range t.Actions {
		if err := t.addEdge(ctx, n, a); err != nil {
			t.particles, t.states, t.x, t.weight = t.particles[:nodes], t.states[:nodes*t.axes], t.x[:x], t.weight[:weight]
			return err
		}
	}
	return nil
}

// addEdge adds an action at a node, and the nodes that follow it.
func (t *beliefs) addEdge(ctx context.Context, n int32, action int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.follow(n, action, t.rng)
	from, f := t.Nodes[n], &t.after
	weight := math.Pow(t.model.Spec.Discount, float64(from.Depth)) * from.Share
	number, first := int32(len(t.Edges)), int32(len(t.Nodes))
	t.Edges = append(t.Edges, tree.TrialEdge{Reward: weight * f.reward, Node: n, First: first, Children: int32(len(f.nodes.Centres))})
	shared := particles{x: int32(len(t.x) / t.dim), n: int32(f.n)}
	t.x = append(t.x, f.moved[:f.n*t.dim]...)
	f.played = false
	for k, c := range f.nodes.Centres {
		t.states = append(t.states, f.state(int(c))...)
		t.particles = append(t.particles, t.drawn(shared, f.nodes.mean(k)))
		if err := t.addNode(ctx, tree.TrialNode{Edge: number, Depth: from.Depth + 1, Share: from.Share * f.nodes.mass[k]}, k); err != nil {
			return err
		}
	}
	return nil
}

// drawn returns the particles of p with those weights, or others that are drawn from them where their design effect is too large.
func (t *beliefs) drawn(p particles, weight []float64) particles {
	squares := 0.0
	for _, w := range weight {
		squares += w * w
	}
	p.weight = int32(len(t.weight))
	if squares*float64(p.n) <= t.o.Threshold {
		t.weight = append(t.weight, weight...)
		return p
	}
	t.cells = t.cells[:0]
	for i, w := range weight {
		if w > 0 {
			t.cells = append(t.cells, t.cellOf(t.row(p.x+int32(i))))
		}
	}
	n := t.number()
	first := int32(len(t.x) / t.dim)
	tree.Systematic(n, t.rng.Float64(), weight, func(_, k int) {
		t.x = append(t.x, t.row(p.x+int32(k))...)
		t.weight = append(t.weight, 1/float64(n))
	})
	p.x, p.n = first, int32(n)
	return p
}

// followers is how many particles of a leaf follow the heaviest one.
const followers = 16

// points are particles of a node: all, or those that few has the places of.
type points struct {
	tree *beliefs
	node int32
	some bool
	few  []int32
}

// of returns all particles of a node.
func (t *beliefs) of(n int32) *points {
	t.at.node, t.at.some = n, false
	return &t.at
}

// fewOf returns particles of a node at equal distances of their weights, so many that few steps are needed to play them.
func (t *beliefs) fewOf(n int32) *points {
	p := &t.at
	p.node, p.some, p.few = n, true, p.few[:0]
	weight := t.weights(n)
	tree.Systematic(min(followers, len(weight)), 0.5, weight, func(_, k int) { p.few = append(p.few, int32(k)) })
	return p
}

// Len implements vectors.Points.
func (p *points) Len() int {
	if p.some {
		return len(p.few)
	}
	return int(p.tree.particles[p.node].n)
}

// At implements vectors.Points.
func (p *points) At(i int) (x []float64, weight float64) {
	at := p.tree.particles[p.node]
	if p.some {
		return p.tree.row(at.x + p.few[i]), 1 / float64(len(p.few))
	}
	return p.tree.row(at.x + int32(i)), p.tree.weight[at.weight+int32(i)]
}

// Stream implements vectors.Points.
func (p *points) Stream(int, int) *rand.Rand { return p.tree.rng }
