package despot

import (
	"context"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/tree"
	"bayescpace/bcpace/solverkit"
)

// search is the tree of a decision. It implements online.Search, for one goroutine.
type search struct {
	*simulator
	*tree.Despot
	model  bcpace.Model
	solver Solver

	scenarios []tree.Scenario // of the root
	fresh     bool            // no scenario was drawn yet
	root      []float64
	belief    bcpace.Belief
}

func newSearch(m bcpace.Model, s Solver, q bcpace.LatentValues) *search {
	spec := m.Spec()
	if s.Scenarios == 0 {
		s.Scenarios = defaultScenarios
	}
	pcg := rand.NewPCG(0, 0)
	x := &simulator{spec: spec, values: q, walk: online.NewWalk(m), pcg: pcg, rng: rand.New(pcg), depth: s.Budget.Depth, count: make([]int32, len(spec.Latents)), mix: make(bcpace.Belief, len(spec.Latents))}
	x.move = bcpace.AbilitiesOf(m).NextLatent
	x.known, _ = q.(dp.LatentMaxima)
	x.bounds, _ = m.(bcpace.ValueBounds)
	if x.depth == 0 {
		x.depth = solverkit.SearchDepth(spec)
	}
	return &search{simulator: x, Despot: tree.NewDespot(spec, x, x.depth, s.Regularisation), model: m, solver: s,
		root: make([]float64, len(spec.Axes)), belief: make(bcpace.Belief, len(spec.Latents))}
}

// Root implements online.Search. Every decision has scenarios of its own.
func (x *search) Root(s []float64, b bcpace.Belief) {
	copy(x.root, s)
	copy(x.belief, b)
	x.Forget()
}

// Forget implements online.Search.
func (x *search) Forget() {
	x.Clear()
	x.fresh = true
}

// Advance implements online.Search.
func (x *search) Advance(int, []float64) {}

// draw draws the scenarios: their latents at equal distances of the belief's distribution.
// The error is that of ctx.
func (x *search) draw(ctx context.Context, rng *rand.Rand) error {
	x.fresh, x.seed = false, rng.Uint64()
	x.scenarios = x.scenarios[:0]
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
		x.scenarios = append(x.scenarios, tree.Scenario{Number: int32(k), Hidden: int32(φ)})
	}
	if err := x.chooseDefault(ctx, x.root, x.scenarios); err != nil {
		return err
	}
	return x.Begin(ctx, x.root, x.scenarios)
}

// Simulate implements online.Search: a trial.
func (x *search) Simulate(ctx context.Context, rng *rand.Rand) (more bool, err error) {
	if x.fresh {
		if err := x.draw(ctx, rng); err != nil {
			x.Forget()
			return false, err
		}
	}
	return x.Despot.Simulate(ctx)
}
