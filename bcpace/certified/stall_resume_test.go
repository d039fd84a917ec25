package certified_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/internal/runtest"
)

// farSighted is a line whose trials are long.
type farSighted struct{ runtest.Line }

func (m farSighted) Spec() bcpace.Spec {
	spec := m.Line.Spec()
	spec.Discount = 0.97
	return spec
}

// A search that was cut off before its gap stalled, or after that, is resumed to the run in
// one piece, through a file too.
func TestResumeStalled(t *testing.T) {
	m := farSighted{runtest.NewLine(rand.New(rand.NewPCG(2, 6)), false)}
	s := certified.Solver{Epsilon: 1e-9, LipState: 30, MaxEpisodes: 85, CertificateEpisodes: -1, Grid: bcpace.GridOptions{Step: 0.1}}
	whole, err := bcpace.Explore(t.Context(), m, s)
	if err != nil {
		t.Fatal(err)
	}
	stalled := certified.StalledAt(whole.Trace)
	if stalled < 10 || stalled > 80 {
		t.Fatalf("the gap stalls after %d rounds of %d", stalled, len(whole.Trace))
	}
	for _, rounds := range []int{stalled - 5, stalled + 5} {
		part := s
		part.MaxEpisodes = rounds
		r, err := bcpace.Explore(t.Context(), m, part)
		if err != nil {
			t.Fatal(err)
		}
		if r, err = bcpace.ReadRun(bytes.NewReader(runtest.Bytes(t, r)), bcpace.FixedModel(m), nil); err != nil {
			t.Fatal(err)
		}
		r, err = bcpace.Resume(t.Context(), r, s)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(runtest.Bytes(t, r), runtest.Bytes(t, whole)) {
			t.Errorf("resumed after %d rounds, where it stalls after %d, the run differs", rounds, stalled)
		}
	}
}
