package certified_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// A run whose search has closed and whose certificate has not is verified, saved and
// read back; what is altered in it is named, and not the reason to stop that it leads to.
func TestVerifyOfASearchThatClosed(t *testing.T) {
	m := runtest.NewLine(rand.New(rand.NewPCG(1, 7)), true)
	for simulated, reason := range map[int]stop.Reason{-1: stop.Searched, 5: stop.Searched, 300: stop.Certified} {
		r, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 0.5, CertificateEpisodes: simulated})
		if err != nil || r.Stop != reason {
			t.Fatalf("%d episodes: %v, stop %q with %+v", simulated, err, r.Stop, r.Certificate)
		}
		if simulated < 0 { // Verify has nothing to play
			continue
		}
		last := len(r.Trace) - 1
		for what, c := range map[string]struct {
			change func(r *runs.Run)
			want   string // "" where what the run says is true
		}{
			"nothing":  {func(*runs.Run) {}, ""},
			"lower":    {func(r *runs.Run) { r.Certificate.Lower-- }, "lower bound"},
			"sample":   {certified.SpoilShortfall, "shortfall of sample 0"},
			"rounding": {func(r *runs.Run) { r.Stop = stop.Rounding }, "reason to stop"},
			"gap":      {func(r *runs.Run) { r.Trace[last].Gap = r.Trace[last-1].Gap }, "reason to stop"},
		} {
			if (what == "lower") != (reason == stop.Certified) { // each takes a while
				continue
			}
			changed, err := runs.Read(bytes.NewReader(runtest.Bytes(t, r)), runs.FixedModel(m), nil)
			if err != nil {
				t.Fatal(err)
			}
			c.change(changed)
			again, err := runs.Read(bytes.NewReader(runtest.Bytes(t, changed)), runs.FixedModel(m), nil)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			_, err = runs.Verify(t.Context(), again)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%d episodes, another %s: %v, want %q", simulated, what, err, c.want)
			}
		}
	}
}

// An exact run whose certificate was altered in its file is refused for that.
func TestVerifyNamesTheCertificateOfAnExactRun(t *testing.T) {
	for _, reason := range []stop.Reason{stop.Certified, stop.Rounding, stop.Searched} {
		r := solve(t, envs.Tiger{}, 0.01)
		want := "reason to stop"
		if r.Stop = reason; reason == stop.Certified {
			r.Certificate.Upper++
			want = "certificate"
		}
		again, err := runs.Read(bytes.NewReader(runtest.Bytes(t, r)), envs.New, nil)
		if err != nil || again.Stop != reason {
			t.Fatalf("%v, stop %q", err, again.Stop)
		}
		if _, err := runs.Verify(t.Context(), again); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "reason") != (reason != stop.Certified) {
			t.Errorf("%q: %v, want %q", reason, err, want)
		}
	}
}
