package cmd

import (
	"slices"
	"testing"
	"time"

	"bayescpace/bcpace"

	"pgregory.net/rapid"
)

// TestSpent: what the phases took adds up to the time of the solver, but for phases of less than a hundredth each; a phase
// that comes again goes on; and a short run says nothing.
func TestSpent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(0, 0)
		c := newClock(func() time.Time { return at })
		want := map[string]time.Duration{}
		phase := "set-up"
		for _, step := range rapid.SliceOfN(rapid.Custom(func(t *rapid.T) bcpace.Progress {
			return bcpace.Progress{Phase: rapid.SampledFrom([]string{"", "latent values", "policies, the best of which earns 3", "policies, the best of which earns 4"}).Draw(t, "phase"),
				Episodes: rapid.IntRange(0, 400).Draw(t, "milliseconds")}
		}), 0, 30).Draw(t, "steps") {
			d := time.Duration(step.Episodes) * time.Millisecond
			at = at.Add(d)
			want[phase] += d
			c.tell(step)
			phase = map[string]string{"": "search", "latent values": "latent values"}[step.Phase]
			if phase == "" {
				phase = "policies"
			}
		}
		got := c.spent()
		all := at.Sub(time.Unix(0, 0))
		for name, d := range want {
			i := slices.IndexFunc(got, func(s spent) bool { return s.Phase == name })
			if shown := all >= time.Second && d >= all/100; shown != (i >= 0) {
				t.Fatalf("%v of %v in %q: shown is %v", d, all, name, i >= 0)
			} else if shown && (got[i].Seconds-number(d.Seconds()) > 1e-9 || number(d.Seconds())-got[i].Seconds > 1e-9) {
				t.Fatalf("%q took %v, want %v", name, got[i].Seconds, d)
			}
		}
	})
}
