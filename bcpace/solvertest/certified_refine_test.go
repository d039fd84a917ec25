package solvertest

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
)

// refutedAxis returns a model of one axis whose rewards jump where the default grid and list
// do not show it, so that the bounds of a search on these are false.
func refutedAxis() bcpace.Enumerator { return oneAxis(rand.New(rand.NewPCG(26, 55))) }

// TestRefutedSearchGoesOnOnFinerGrids: a search that would end as its own simulation refutes it
// goes on, to bounds that nothing refutes, and its run file, Verify and Resume know the grid.
func TestRefutedSearchGoesOnOnFinerGrids(t *testing.T) {
	m, s := refutedAxis(), certified.Solver{Epsilon: 0.02, CertificateEpisodes: 2000, MaxSamples: 200}
	coarse := s
	coarse.Grid.MaxPoints = 65 // no room for half the step
	if r, err := runs.Explore(t.Context(), m, coarse); err != nil || r.Stop != stop.Refuted {
		t.Fatalf("on the first grid the search ends with %+v, %v, want it refuted", r, err)
	}
	r, err := runs.Explore(t.Context(), m, s)
	if err != nil {
		t.Fatal(err)
	}
	c := r.Certificate
	if r.Stop == stop.Refuted || c.Refuted != "" || c.Episodes != 2000 {
		t.Errorf("stop %q with %+v, want bounds that nothing refutes", r.Stop, c)
	}
	var file bytes.Buffer
	if _, err := r.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	back, err := runs.Read(bytes.NewReader(file.Bytes()), runs.FixedModel(m), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runs.Verify(t.Context(), back); err != nil {
		t.Error(err)
	}
	again, err := runs.Resume(t.Context(), back, s)
	if err != nil || again.Certificate != c || again.Stop != r.Stop {
		t.Errorf("resumed %+v, %v, want %+v", again, err, c)
	}
}

// TestRefutedValue: a solution never has a refuted bound as its Value. It is the lower bound of
// the certificate, and NaN where nothing was simulated for one.
func TestRefutedValue(t *testing.T) {
	for _, episodes := range []int{-1, 500} {
		s := certified.Solver{Epsilon: 0.02, CertificateEpisodes: episodes, MaxSamples: 200, Grid: dp.GridOptions{MaxPoints: 65}}
		found, err := s.Solve(t.Context(), refutedAxis(), bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		c := found.Certificate
		if c.Refuted == "" || episodes < 0 && !math.IsNaN(found.Value) || episodes > 0 && found.Value != c.Lower {
			t.Errorf("%d episodes: value %v with %+v", episodes, found.Value, c)
		}
	}
}
