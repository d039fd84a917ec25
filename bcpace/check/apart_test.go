package check_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
)

// TestApart: latents that no step tells apart are noted by name, and no others. Of a sledge with three masses, one of
// which does not reach the code that makes a step, two move in the same way.
func TestApart(t *testing.T) {
	for name, x := range map[string]struct {
		masses [3]float64 // as Step has them
		want   string     // of the note, "" for none
	}{
		"all reach":    {[3]float64{1, 2, 4}, ""},
		"one does not": {[3]float64{1, 2, 1}, `nothing tells the latents "light", "heavy" apart (2 of them)`},
		"none does":    {[3]float64{1, 1, 1}, `nothing tells the latents "light", "medium", "heavy" apart (3 of them)`},
	} {
		mean := func(s []float64, latent, action int) float64 { return s[0]/2 + float64(action)/x.masses[latent] }
		m, err := bcpace.FromFuncs(bcpace.Funcs{
			Spec: bcpace.Spec{Name: "sledge", Axes: []bcpace.Axis{{Name: "speed", Min: -10, Max: 10}}, Actions: bcpace.Actions("rest", "push"),
				Latents: []string{"light", "medium", "heavy"}, Discount: 0.9, RewardMax: 1},
			Step: func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
				next[0] = mean(s, latent, action) + 0.1*rng.NormFloat64()
				return bcpace.Outcome{Reward: math.Exp(-next[0] * next[0])}
			},
			LogLikelihood: func(s []float64, action int, next []float64, latent int) float64 {
				z := (next[0] - mean(s, latent, action)) / 0.1
				return -z * z / 2
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		r, err := check.Examine(m, check.Options{Transitions: 10, Draws: 200, Episodes: 3, Steps: 20})
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(r.Notes, "\n"); notes != x.want && (x.want == "" || !strings.Contains(notes, x.want) || len(r.Notes) != 1) {
			t.Errorf("%s: notes %q, want %q", name, r.Notes, x.want)
		}
	}
}
