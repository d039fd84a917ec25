//go:build long

package certified_test

import (
	"bytes"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// The room of the paper by default: no bound is false, and none that is farther than ε
// from the other is called certified. With more noise the room has the same optimum to 10⁻⁴
// (TestGridUpperOfTheNoisyRooms), and its bounds are proved in a tenth of the time.
func TestContinuousCertificateOfThePapersRoom(t *testing.T) {
	const optimum = 6.80879
	for _, x := range []struct {
		sigma, epsilon float64
		simulated      int
		stop           stop.Reason
	}{{0.01, 0.3, 0, stop.Certified}, {0.05, 0.1, 2000, stop.Searched}} {
		r, err := runs.Explore(t.Context(), envs.LightDarkTiger{Sigma: x.sigma}, certified.Solver{Epsilon: x.epsilon, CertificateEpisodes: x.simulated})
		if err != nil {
			t.Fatal(err)
		}
		c := r.Certificate
		if c.Lower > optimum || c.Upper < optimum || r.Stop != x.stop || (r.Stop == stop.Certified) != (c.Gap() <= x.epsilon) {
			t.Errorf("ε = %v, %d episodes: %q with %+v, and the optimum is %v", x.epsilon, x.simulated, r.Stop, c, optimum)
		}
		if c.Kind == bcpace.StatisticalCertificate && (c.LowerBy != bcpace.ByProof || c.UpperBy != bcpace.ByProof || c.Assumes != "") {
			t.Errorf("ε = %v: it rests on %+v", x.epsilon, c)
		}
		again, err := runs.Read(bytes.NewReader(runtest.Bytes(t, r)), envs.New, nil)
		if err != nil || again.Certificate != c || again.Stop != r.Stop {
			t.Errorf("read back: %v, %+v", err, again)
		}
	}
}
