package certified_test

import (
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/dp"
)

// TestNothingIsCertifiedByAFlatGrid: a grid whose points all lie beside a small goal sees no
// reward. Nothing but the range of returns bounds the value then.
func TestNothingIsCertifiedByAFlatGrid(t *testing.T) {
	inGoal := func(x []float64) bool { return math.Abs(x[0]-0.61) < 0.004 && math.Abs(x[1]-0.61) < 0.004 }
	m, err := bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "small goal", Axes: []bcpace.Axis{{Name: "x", Max: 1}, {Name: "y", Max: 1}},
			Latents: []string{"steady", "slow"}, Actions: bcpace.Actions("right", "left", "up", "down"), Discount: 0.97, RewardMax: 10},
		Starts: [][]float64{{0.13, 0.13}},
		Sigma:  []float64{0.002, 0.002},
		Mean: func(mean, s []float64, latent, action int) {
			copy(mean, s)
			mean[action/2] += (0.06 - 0.02*float64(latent)) * float64(1-2*(action%2))
		},
		Reward: func(_ []float64, _, _ int, next []float64) float64 {
			if inGoal(next) {
				return 10
			}
			return 0
		},
		Ends: inGoal,
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := certified.Solver{Epsilon: 0.1, MaxSamples: 200, CertificateEpisodes: 50, Grid: dp.GridOptions{MaxPoints: 36}}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	spec := m.Spec()
	if c := s.Certificate; c.Upper != spec.VMax() || c.UpperBy == bcpace.ByAssumption || s.Stop == bcpace.StopCertified {
		t.Errorf("bounds [%v, %v], the upper one by %q, stop %q; want %v by the range of rewards", c.Lower, c.Upper, c.UpperBy, s.Stop, spec.VMax())
	}
}
