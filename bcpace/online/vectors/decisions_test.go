package vectors_test

import (
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/plannertest"
)

// allocateNothing fails where a decision of a planner of trials in Guess does not use the memory of the one before it: no trial,
// expansion or rollout allocates.
func allocateNothing(t *testing.T, of func(b bcpace.Budget) func(m *hidden.Model) (hidden.Planner, error)) {
	t.Helper()
	const trials = 40
	m := plannertest.Guess(0.1)
	p := planner(t, of(bcpace.Budget{Simulations: trials, Depth: 8}), m)
	b, s := plannertest.Begin(t, m, []float64{0}), []float64{0}
	plan := func() {
		if _, err := p.Plan(t.Context(), s, b, rand.New(rand.NewPCG(1, 1))); err != nil {
			t.Fatal(err)
		}
	}
	plan() // memory grows
	if n := testing.AllocsPerRun(5, plan); n > trials/2 {
		t.Errorf("%v allocations in a decision of %d trials, want those of the decision alone", n, trials)
	}
}

// decideOften makes decisions of 100 trials in Guess.
func decideOften(b *testing.B, of func(b bcpace.Budget) func(m *hidden.Model) (hidden.Planner, error)) {
	b.Helper()
	m := plannertest.Guess(0.1)
	p := planner(b, of(bcpace.Budget{Simulations: 100, Depth: 10}), m)
	belief, rng := plannertest.Begin(b, m, []float64{0}), rand.New(rand.NewPCG(1, 1))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Plan(b.Context(), []float64{0}, belief, rng); err != nil {
			b.Fatal(err)
		}
	}
}
