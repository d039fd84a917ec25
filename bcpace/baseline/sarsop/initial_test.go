package sarsop_test

import (
	"bayescpace/bcpace/baseline/sarsop"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace/baseline/pointbased"
	"bayescpace/bcpace/internal/pomdptest"
)

// TestFirstUpperBound: the first upper bound is the fast informed bound as it is defined.
func TestFirstUpperBound(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 12))
		m := pomdptest.Random(rng, 1+rng.IntN(3), 1+rng.IntN(4), []float64{0.3, 0.9}[rng.IntN(2)])
		if rng.IntN(2) == 0 {
			m = sarsop.Game(rng)
		}
		set, err := pointbased.New(t.Context(), "test", m, 1, false)
		if err != nil {
			t.Fatal(err)
		}
		scale := 0.0
		for _, list := range m.Reward {
			scale = max(scale, slices.Max(list), -slices.Min(list))
		}
		const tol = 1e-10
		want := sarsop.Informed(m, tol)
		for a, list := range set.Upper {
			for s, q := range list {
				// Iterations end where a sweep changes no value by more than 1e-7 of the largest reward.
				if w := want[s*len(m.Actions)+a]; q < w-2*tol || q > w+1e-6*scale/(1-m.Discount) {
					t.Errorf("seed %d: the bound at state %d, action %d is %v, want %v", seed, s, a, q, w)
				}
			}
		}
	}
}
