package nb

import (
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/bcpace/store"
)

// TestNotes: who is interrupted reads from where the cell will continue.
func TestNotes(t *testing.T) {
	run := &runs.Run{Stop: stop.Interrupted, Trace: make([]runs.Episode, 9), Samples: runs.NewSamples(bcpace.Spec{})}
	for want, origin := range map[string]store.Origin{
		"execute the cell again to explore in full":       {},
		"execute the cell again to go on from 7 episodes": {Kept: 7},
	} {
		if got := notes(run, origin); !strings.Contains(got, want) {
			t.Errorf("%+v: %q, want %q", origin, got, want)
		}
	}
	if got := notes(&runs.Run{Stop: stop.Converged}, store.Origin{Resumed: 5}); got != "" {
		t.Errorf("a whole run: %q", got)
	}
}
