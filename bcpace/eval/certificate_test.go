package eval_test

import (
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/solverkit"
)

// earned returns what the first action earns, taken at every step: the latent values of the model without the other actions.
func earned(t *testing.T, m bcpace.Model) float64 {
	t.Helper()
	alone := bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) { a.Spec.Actions = a.Spec.Actions[:1] })
	q, err := dp.SolveLatent(t.Context(), alone)
	if err != nil {
		t.Fatal(err)
	}
	mean, err := solverkit.MeanAtStart(alone, func(s []float64, b bcpace.Belief) float64 { return dp.Expected(q, s, b, 0) })
	if err != nil {
		t.Fatal(err)
	}
	return mean
}

// TestCertificateOf: on random models the lower bound is false no more often than it may be: at most in 34
// of 300, which chance exceeds with probability 10⁻⁵ if each is false with probability 5 %. What
// the episodes of another start or world say is no certificate.
func TestCertificateOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	wrong := 0
	for range 300 {
		m := randmodel.New(rng, randmodel.Options{})
		p := bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return 0 })
		r, err := eval.Rollouts(t.Context(), m, p, eval.Options{Episodes: 50, Seed: rng.Uint64()})
		if err != nil {
			t.Fatal(err)
		}
		c := eval.CertificateOf(m, r, 50, 0.05)
		if c.Lower > earned(t, m)+1e-6 {
			wrong++
		}
		if c.Kind == bcpace.StatisticalCertificate && (c.Episodes != 50 || c.LowerBy != bcpace.BySimulation || c.UpperBy != bcpace.ByRange) {
			t.Errorf("certificate %+v", c)
		}
		for _, o := range []eval.Options{{Episodes: 50, Belief: bcpace.OneHot(len(m.Spec().Latents), 0)}, {Episodes: 50, World: m}, {Episodes: 50, Undiscounted: true, Horizon: 10}} {
			other, err := eval.Rollouts(t.Context(), m, p, o)
			if err != nil {
				t.Fatal(err)
			}
			if c := eval.CertificateOf(m, other, 50, 0.05); m.Spec().Discount < 1 && c.Kind != bcpace.NoCertificate {
				t.Errorf("%+v is certified: %+v", o, c)
			}
		}
	}
	if wrong > 34 {
		t.Errorf("%d of 300 lower bounds are false", wrong)
	}
}
