package certified_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/lipschitz"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// Whatever bound it begins with and whatever constant carries its samples, the
// certificate holds the exact value and is verified.
func TestCertifiedFromEveryBound(t *testing.T) {
	for seed := range 24 {
		rng := rand.New(rand.NewPCG(uint64(seed), 5))
		m := randmodel.New(rng, randmodel.Options{States: 2 + seed%7, Latents: 2 + seed%3, Actions: 2, Branch: 2,
			Kind: bcpace.LatentKind(seed % 3), Discount: 0.2 + 0.15*rng.Float64()})
		exact, err := eval.Optimal(t.Context(), m, eval.ExactOptions{Tolerance: 0.05})
		if err != nil {
			t.Fatal(err)
		}
		constants, err := lipschitz.FromModel(t.Context(), m, lipschitz.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, bound := range []cpace.Bound{cpace.BoundConstant, cpace.BoundBestCase, cpace.BoundQMDP, cpace.BoundFIB, cpace.BoundTIB} {
			for _, lip := range []float64{0, constants.Tight.LB * (1 + 1e-6), constants.Paper.LB} {
				r, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 0.05, MaxSamples: 2000, Bound: bound, LipQ: lip})
				if err != nil {
					t.Fatal(err)
				}
				if c := r.Certificate; c.Lower > exact.Value+exact.Error || c.Upper < exact.Value-exact.Error {
					t.Errorf("seed %d, %s, L_Q %v: [%v, %v] does not hold %v ± %v", seed, bound, lip, c.Lower, c.Upper, exact.Value, exact.Error)
				}
				if _, err := runs.Verify(t.Context(), r); err != nil {
					t.Errorf("seed %d, %s, L_Q %v: %v", seed, bound, lip, err)
				}
			}
		}
	}
}

func TestCertifiedRefusesAConstantBelowItsProof(t *testing.T) {
	_, err := runs.Explore(t.Context(), envs.Chain{}, certified.Solver{Epsilon: 1, LipQ: 2})
	if input := new(bcpace.InputError); !errors.As(err, &input) || input.What != "LipQ" {
		t.Errorf("%v, want an InputError about LipQ", err)
	}
}
