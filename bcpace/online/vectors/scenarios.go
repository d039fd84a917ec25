package vectors

import (
	"context"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/online/tree"
)

// Scenarios is DESPOT for a hidden vector: an online.Search in a tree of what K scenarios can lead to.
type Scenarios struct {
	*tree.Despot
	world *scenarios
}

// NewScenarios returns the search with so many scenarios in a tree of that depth, with price λ. With random, a policy that draws each
// action is the default policy. table may be nil.
func NewScenarios(m *hidden.Model, table *GuessTable, number, depth int, price float64, random bool) *Scenarios {
	pcg := rand.NewPCG(0, 0)
	w := &scenarios{model: m, leaves: NewLeaves(m, table, depth), depth: depth, random: random, roots: make([]tree.Scenario, number),
		next: make([]float64, len(m.Spec.Axes)), xTo: make([]float64, len(m.Spec.Hidden)), pcg: pcg, rng: rand.New(pcg)}
	for k := range w.roots {
		w.roots[k] = tree.Scenario{Number: int32(k), Hidden: int32(k)}
	}
	w.at.world = w
	return &Scenarios{tree.NewDespot(m.Spec.Spec, w, depth, price), w}
}

// Root implements online.Search.
func (w *Scenarios) Root(s []float64, b hidden.Belief) {
	w.world.belief = b
	w.Reset(s)
}

// scenarios are the tree.ScenarioWorld of Scenarios: what is hidden in a scenario is the row of a vector in x.
type scenarios struct {
	model  *hidden.Model
	leaves *Leaves
	depth  int
	random bool // the default policy

	belief    hidden.Belief
	roots     []tree.Scenario
	x         []float64
	next, xTo []float64 // room
	at        points    // room
	pcg       *rand.PCG
	rng       *rand.Rand
	seed      uint64
}

// Draw implements tree.ScenarioWorld.
func (w *scenarios) Draw(ctx context.Context, s []float64, rng *rand.Rand) ([]tree.Scenario, error) {
	w.seed = rng.Uint64()
	n := len(w.roots)
	w.x = slices.Grow(w.x[:0], n*len(w.xTo))[:n*len(w.xTo)]
	Draws(w.x, n, w.belief, rng)
	return w.roots, w.leaves.Begin(ctx, s, w.of(w.roots, 0), w.depth, rng)
}

// maxNumbers bounds the hidden vectors of a decision, about 200 megabytes; one that comes to it ends.
const maxNumbers = 1 << 24

// Full implements tree.ScenarioWorld.
func (w *scenarios) Full() bool { return len(w.x) > maxNumbers }

// vector returns the hidden vector of a scenario, a view that holds until one is added.
func (w *scenarios) vector(k tree.Scenario) []float64 {
	dim := len(w.xTo)
	return w.x[int(k.Hidden)*dim : int(k.Hidden+1)*dim : int(k.Hidden+1)*dim]
}

// Step implements tree.ScenarioWorld.
func (w *scenarios) Step(s []float64, k tree.Scenario, depth, action int) (next []float64, out bcpace.Outcome, hidden int32) {
	out = w.model.Step(w.next, w.xTo, s, w.vector(k), action, w.stream(k, depth))
	w.x = append(w.x, w.xTo...)
	return w.next, out, int32(len(w.x)/len(w.xTo)) - 1
}

// stream returns the random numbers of a scenario at a depth.
func (w *scenarios) stream(k tree.Scenario, depth int) *rand.Rand {
	w.pcg.Seed(w.seed^uint64(k.Number), uint64(depth))
	return w.rng
}

// Leaf implements tree.ScenarioWorld.
func (w *scenarios) Leaf(ctx context.Context, s []float64, at []tree.Scenario, depth int) (base float64, action int, upper float64, err error) {
	p := w.of(at, depth)
	base, upper, told, err := w.leaves.Of(s, p)
	switch {
	case err != nil:
	case w.random && base < upper:
		base, err = w.leaves.Randomly(ctx, s, p, w.depth-depth)
		action = w.leaves.Blind
	case depth == 0 || !told:
		base, action, err = w.leaves.Earned(ctx, s, p, w.depth-depth)
	}
	return base, action, upper, err
}

// points are the hidden vectors of scenarios at a depth, of equal weight.
type points struct {
	world *scenarios
	at    []tree.Scenario
	depth int
}

func (w *scenarios) of(at []tree.Scenario, depth int) *points {
	w.at.at, w.at.depth = at, depth
	return &w.at
}

// Len implements Points.
func (p *points) Len() int { return len(p.at) }

// At implements Points.
func (p *points) At(i int) (x []float64, weight float64) {
	return p.world.vector(p.at[i]), 1 / float64(len(p.at))
}

// Stream implements Points.
func (p *points) Stream(i, step int) *rand.Rand { return p.world.stream(p.at[i], p.depth+step) }
