package cover_test

import (
	"math"
	"testing"

	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// TestHolesOfBoxes: a query is covered if a sample is near it in state, belief and control.
func TestHolesOfBoxes(t *testing.T) {
	m, err := envs.DualControl{Nodes: 3}.Model()
	if err != nil {
		t.Fatal(err)
	}
	r, err := runs.Explore(t.Context(), m, cpace.Solver{Epsilon: 1, LipQ: 1, MaxSamples: 80, ControlPoints: 3, CertificateEpisodes: -1, Grid: dp.GridOptions{MaxPoints: 17}})
	if err != nil {
		t.Fatal(err)
	}
	queries := metric.NewQueries(r.Spec, r.Alpha())
	shares := make(map[bool]float64)
	for _, every := range []bool{false, true} {
		h, err := cover.MeasureHoles(t.Context(), r, cover.HoleOptions{Draws: 200, EveryAction: every, Radius: 0.3})
		if err != nil {
			t.Fatal(err)
		}
		nearest := math.Inf(1)
		for i := range r.Samples.Len() {
			c := r.Samples.At(i)
			nearest = min(nearest, queries.Distance(c.State, c.Belief, c.Action, h.State, h.Belief, h.Action))
		}
		if math.Abs(nearest-h.Largest) > 1e-9 {
			t.Errorf("the largest distance is %v, and its query is %v from the nearest sample", h.Largest, nearest)
		}
		shares[every] = h.Share
	}
	if !(shares[true] > shares[false]) {
		t.Errorf("%v of the policy's queries have no sample near, and %v of those with random controls", shares[false], shares[true])
	}
}
