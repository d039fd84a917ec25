package certified_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
)

// farSighted is a line whose trials are long.
type farSighted struct{ runtest.LineModel }

func (m farSighted) Spec() bcpace.Spec {
	spec := m.LineModel.Spec()
	spec.Discount = 0.97
	return spec
}

// A search that was cut off after its gap had stalled is resumed, through a file, to the run
// in one piece.
func TestResumeStalled(t *testing.T) {
	m := farSighted{runtest.NewLine(rand.New(rand.NewPCG(2, 6)), false)}
	s := certified.Solver{Epsilon: 1e-9, LipState: 30, MaxEpisodes: 75, CertificateEpisodes: -1, Grid: dp.GridOptions{Step: 0.1}}
	whole, err := runs.Explore(t.Context(), m, s)
	if err != nil {
		t.Fatal(err)
	}
	stalled := certified.StalledAt(whole.Trace)
	if stalled < 10 || stalled > 70 {
		t.Fatalf("the gap stalls after %d rounds of %d", stalled, len(whole.Trace))
	}
	s.MaxEpisodes = stalled + 3
	r, err := runs.Explore(t.Context(), m, s)
	if err != nil {
		t.Fatal(err)
	}
	if r, err = runs.Read(bytes.NewReader(runtest.Bytes(t, r)), runs.FixedModel(m), nil); err != nil {
		t.Fatal(err)
	}
	if r, err = runs.Resume(t.Context(), r, whole.Solver.(certified.Solver)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(runtest.Bytes(t, r), runtest.Bytes(t, whole)) {
		t.Errorf("resumed after %d rounds, where it stalls after %d, the run differs", s.MaxEpisodes, stalled)
	}
}
