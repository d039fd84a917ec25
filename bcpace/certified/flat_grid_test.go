package certified_test

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/stop"
)

// TestNothingIsCertifiedByAFlatGrid: a grid whose points all lie beside a small goal sees no
// reward. Nothing but the range of returns bounds the value then.
func TestNothingIsCertifiedByAFlatGrid(t *testing.T) {
	m := randmodel.SmallGoal(2, 0.004)
	s, err := certified.Solver{Epsilon: 0.1, MaxSamples: 200, CertificateEpisodes: 50, Grid: dp.GridOptions{MaxPoints: 36}}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	spec := m.Spec()
	if c := s.Certificate; c.Upper != spec.VMax() || c.UpperBy == bcpace.ByAssumption || s.Stop == stop.Certified {
		t.Errorf("bounds [%v, %v], the upper one by %q, stop %q; want %v by the range of rewards", c.Lower, c.Upper, c.UpperBy, s.Stop, spec.VMax())
	}
}
