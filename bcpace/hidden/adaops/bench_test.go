package adaops_test

import (
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden/adaops"
	"bayescpace/bcpace/hidden/internal/hiddentest"
)

// TestAllocations: a decision uses the memory of the one before it: no trial, expansion or rollout allocates.
func TestAllocations(t *testing.T) {
	const trials = 40
	m := hiddentest.Guess(0.1)
	p := hiddentest.New(t, adaops.Solver{Budget: bcpace.Budget{Simulations: trials, Depth: 8}}.Planner, m)
	b, s := hiddentest.Begin(t, m, []float64{0}), []float64{0}
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

// BenchmarkDecision is a decision of 100 trials.
func BenchmarkDecision(b *testing.B) {
	m := hiddentest.Guess(0.1)
	p := hiddentest.New(b, adaops.Solver{Budget: bcpace.Budget{Simulations: 100, Depth: 10}}.Planner, m)
	belief, rng := hiddentest.Begin(b, m, []float64{0}), rand.New(rand.NewPCG(1, 1))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Plan(b.Context(), []float64{0}, belief, rng); err != nil {
			b.Fatal(err)
		}
	}
}
