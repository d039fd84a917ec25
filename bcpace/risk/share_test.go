package risk_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/kept"
	"bayescpace/bcpace/risk"
	"bayescpace/bcpace/stop"
)

// TestSmallShares: rounding makes no bound false, however small the share is, and the largest sure return closes the search.
func TestSmallShares(t *testing.T) {
	models(t, 60, func(seed uint64, tab bcpace.Tables, m bcpace.Model, rng *rand.Rand) {
		share := math.Pow(10, -3*float64(1+rng.IntN(4)))
		const epsilon = 0.01
		found, err := risk.Solver{Share: share, Epsilon: epsilon}.Solve(t.Context(), m, bcpace.Control{})
		if err != nil {
			t.Fatalf("seed %d, share %v: %v", seed, share, err)
		}
		want := brute{Tables: tab}.cvar(share)
		c := found.Certificate
		if c.Lower > want+1e-9 || c.Upper < want-1e-9 || c.Lower > c.Upper {
			t.Errorf("seed %d, share %v: [%v, %v] (%s), want %v", seed, share, c.Lower, c.Upper, found.Stop, want)
		}
		if found.Stop != stop.Certified {
			t.Errorf("seed %d, share %v: [%v, %v] (%s), want bounds that close", seed, share, c.Lower, c.Upper, found.Stop)
		}
		if share > 1e-9 || seed > 30 {
			return
		}
		for name, policy := range map[string]bcpace.Policy{"found": found.Policy, "kept": keptAndRead(t, m, found.Policy)} {
			r, err := eval.Rollouts(t.Context(), m, policy, eval.Options{Episodes: 500, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			if worst := slices.Min(r.Returns); worst < c.Lower-epsilon {
				t.Errorf("seed %d, share %v: the policy that was %s had a return of %v, want %v at least", seed, share, name, worst, c.Lower)
			}
		}
	})
}

// keptAndRead writes a policy as data and reads it.
func keptAndRead(t *testing.T, m bcpace.Model, p bcpace.Policy) bcpace.Policy {
	t.Helper()
	data, err := kept.Of(p)
	if err != nil {
		t.Fatal(err)
	}
	again, err := data.On(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	return bcpace.PolicyOf(bcpace.KeepHorizon(m), again)
}

// TestCertainReturn: what an episode pays for certain is the CVaR of each share.
func TestCertainReturn(t *testing.T) {
	const pays = 0.1 + 0.9*0.2 + 0.9*0.9*0.7
	m, err := bcpace.FromTables(bcpace.Tables{Discount: 0.9, Prior: []float64{1}, Start: []float64{1, 0, 0, 0},
		P: [][][][]float64{{{{0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}, {0, 0, 0, 1}}}},
		R: [][][]float64{{{0.1, 0.2, 0.7, 0}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, scale := range []float64{1e-6, 1, 1e6} {
		for _, share := range []float64{1, 0.1, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15} {
			found, err := risk.Solver{Share: share, Epsilon: 1e-6 * scale}.Solve(t.Context(), scaled(m, scale), bcpace.Control{})
			if err != nil {
				t.Fatal(err)
			}
			c := found.Certificate
			if c.Lower > scale*pays*(1+1e-15) || c.Upper < scale*pays*(1-1e-15) || c.Gap() > 1e-6*scale || found.Stop != stop.Certified {
				t.Errorf("scale %v, share %v: [%v, %v] (%s), want %v", scale, share, c.Lower, c.Upper, found.Stop, scale*pays)
			}
		}
	}
}

// scaled is a model with other units of its rewards.
func scaled(m bcpace.Model, by float64) bcpace.Model {
	return bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) {
		step, list := a.Step, a.Successors
		a.Spec.RewardMin, a.Spec.RewardMax = by*a.Spec.RewardMin, by*a.Spec.RewardMax
		a.Step = func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
			out := step(next, s, latent, action, rng)
			out.Reward *= by
			return out
		}
		a.Successors = func(z *bcpace.Successors, s []float64, action int) {
			first := z.Len()
			list(z, s, action)
			for i := first; i < z.Len(); i++ {
				_, _, reward := z.Row(i)
				for φ := range reward {
					reward[φ] *= by
				}
			}
		}
	})
}
