package sarsop_test

import (
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/stop"
)

// TestNearOne: at a discount near 1 bounds hold the optimal value of random models, and policies earn their lower
// bounds.
func TestNearOne(t *testing.T) {
	const tol = 1e-3 // of values of some thousands
	apart := 0
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 99))
		m := sarsop.Game(rng)
		if seed%3 == 0 {
			m = pomdptest.Random(rng, 1+rng.IntN(2), 2+rng.IntN(2), 0)
		}
		m.Discount = 0.9995
		r := solve(t, m, sarsop.Solver{Epsilon: 0.1, MaxTrials: 1 + rng.IntN(60)})
		if low, high := sarsop.Outlook(m, nil, 60, tol); r.Lower > high+2*tol || r.Upper < low-2*tol {
			t.Errorf("seed %d: the bounds are [%v, %v], the optimal value is in [%v, %v]", seed, r.Lower, r.Upper, low, high)
		}
		if _, high := sarsop.Outlook(m, r.Policy, 100, tol); high < r.Lower-2*tol {
			t.Errorf("seed %d: the policy earns at most %v, the lower bound is %v (stopped by %s)", seed, high, r.Lower, r.Stop)
		}
		if r.Stop != stop.Certified {
			apart++
		}
	}
	t.Logf("%d of 12 were not solved", apart)
}

// TestGoesOn: at a discount so near to 1 that a trial would take a hundred thousand steps to meet its target, the
// search goes on until its bounds are close.
func TestGoesOn(t *testing.T) {
	for seed := range uint64(2) {
		rng := rand.New(rand.NewPCG(seed, 98))
		m := pomdptest.New(1, 3, 3, 3, 0.99999, pomdptest.Row(rng, 3, 0))
		for range 3 {
			var moves, senses [][]float64
			var rewards []float64
			for range 3 {
				moves, senses, rewards = append(moves, pomdptest.Row(rng, 3, 0)), append(senses, pomdptest.Row(rng, 3, 0)), append(rewards, 10*rng.Float64())
			}
			pomdptest.Append(m, moves, senses, rewards)
		}
		r := solve(t, m, sarsop.Solver{MaxTrials: 80})
		t.Logf("seed %d: [%v, %v] after %d trials and %d beliefs: %s", seed, r.Lower, r.Upper, r.end().Episodes, r.end().Samples, r.Stop)
		if share := (r.Upper - r.Lower) / r.Upper; share > 0.01 && r.Stop == stop.Rounding || share > 0.02 {
			t.Errorf("seed %d: the bounds are [%v, %v] at the end, %s", seed, r.Lower, r.Upper, r.Stop)
		}
	}
}
