package runs_test

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/runs"
)

// TestKnownAtTheRadius: a query is known whose distance from the sample is the
// radius in decimals, however the distance is rounded; and likewise a seeded one.
func TestKnownAtTheRadius(t *testing.T) {
	stay := [][][]float64{{{1}}}
	m, err := bcpace.FromTables(bcpace.Tables{Discount: 0.9, P: [][][][]float64{stay, stay}, R: [][][]float64{{{1}}, {{1}}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 90 {
		b := float64(i) / 100
		at := bcpace.Belief{b, 1 - b}
		r, err := runs.Explore(t.Context(), m, cpace.Solver{Epsilon: 0.2, LipQ: 1, Bound: cpace.BoundConstant,
			Starts: []bcpace.StartPoint{{State: []float64{0}, Belief: at}}, MaxEpisodes: 1, Horizon: 1, CertificateEpisodes: -1})
		if err != nil {
			t.Fatal(err)
		}
		for by, want := range map[float64]bool{5: true, 5 + 1e-9: false} {
			p := (float64(i) + by) / 100
			if _, known := r.Q([]float64{0}, bcpace.Belief{p, 1 - p}, 0); known != want {
				t.Errorf("a sample at %v, a query at %v of radius %v: known is %v", b, p, r.Radius(), known)
			}
		}
	}
	for i := 1; i < 100; i++ {
		p, radius := float64(i)/1000, float64(2*i)/1000
		b := bcpace.Belief{1 - p - p/3, p, p / 3}
		if _, near := metric.NearOneHot(b, radius*4/3); !near {
			t.Errorf("%v is not within %v of a one-hot belief", b, radius*4/3)
		}
		if _, near := metric.NearOneHot(b, radius*4/3*(1-1e-12)); near {
			t.Errorf("%v is within less than %v of a one-hot belief", b, radius*4/3)
		}
	}
	if _, near := metric.NearOneHot(bcpace.Belief{1, 0}, -1); near {
		t.Error("within −1 of a one-hot belief")
	}
}
