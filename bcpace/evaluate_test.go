package bcpace_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/randmodel"
)

// The vectors of fixed policies are below their own backups, but for rounding, and nearly
// reach them: so they are within the tolerance of the policies' values.
func TestEvaluateFixedPolicies(t *testing.T) {
	const tol = 1e-6
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 5))
		m := randmodel.New(rng, randmodel.Varied(rng))
		tr, err := dp.ListTransitions(t.Context(), bcpace.KeepHorizon(m).(bcpace.Finite))
		if err != nil {
			t.Fatal(err)
		}
		policies := make([][]int32, 3)
		for k := range policies {
			for range tr.States {
				policies[k] = append(policies[k], int32(rng.IntN(tr.Actions)))
			}
		}
		v, err := tr.Evaluate(t.Context(), policies, tol)
		if err != nil {
			t.Fatal(err)
		}
		backup := make([]float64, tr.Latents)
		for k, policy := range policies {
			for s, a := range policy {
				r := s*tr.Actions + int(a)
				copy(backup, tr.Reward(r))
				for e, end := tr.Entries(r); e < end; e++ {
					if next, done := tr.Next(e); !done {
						tr.AddBackup(backup, v.Vector(next, k), r, e)
					}
				}
				for φ, x := range v.Vector(s, k) {
					if d := backup[φ] - x; d < -1e-12 || d > tol || math.IsNaN(d) {
						t.Fatalf("seed %d: policy %d, state %d, latent %d: %v, %v below its backup", seed, k, s, φ, x, d)
					}
				}
			}
		}
	}
}
