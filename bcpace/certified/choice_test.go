package certified_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
)

// A search that a limit ends returns QMDP where that earns more than the policy of bounds
// that are still apart, and says so. The run's file knows the choice.
func TestCutShortSearchReturnsNoLessThanQMDP(t *testing.T) {
	m := runtest.NewLine(rand.New(rand.NewPCG(10, 6)), false)
	r, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 0.5, MaxSamples: 3, CertificateEpisodes: 200, Grid: dp.GridOptions{Step: 0.05}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Choice == nil || r.Choice.Name() != "qmdp" || r.Choice.Tried[0].Mean > r.Choice.Tried[1].Mean-0.05 {
		t.Fatalf("the choice is %+v, want qmdp by far", r.Choice)
	}
	s, b := []float64{0.35, 0}, bcpace.Belief{0.5, 0.5}
	if got, want := r.Policy().Act(s, b, nil), dp.LatentPolicy(r.LatentValues(), 3).Act(s, b, nil); got != want {
		t.Errorf("the policy takes %d, QMDP takes %d", got, want)
	}
	again, err := runs.Read(bytes.NewReader(runtest.Bytes(t, r)), runs.FixedModel(m), nil)
	if err != nil || !reflect.DeepEqual(again.Choice, r.Choice) {
		t.Fatalf("%v: the file has the choice %+v, want %+v", err, again.Choice, r.Choice)
	}
}
