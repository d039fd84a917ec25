//go:build long

package scoreboard

import (
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/sweep"
)

// A finer grid is not worse beyond noise: what the best actions for the values on a grid earn
// does not fall with its points, in problems whose values jump. A correct program fails with
// probability below 0.001.
func TestFinerGridIsNotWorse(t *testing.T) {
	for _, p := range []problem{
		{env: "integrator"},
		{env: "jumps", set: sweep.Values{"axes": 3, "layout": 2}},
		{env: "jumps", set: sweep.Values{"axes": 4, "layout": 2}},
		{env: "jumps", set: sweep.Values{"axes": 4, "layout": 5}},
	} {
		m, err := p.model()
		if err != nil {
			t.Fatal(err)
		}
		mean, stdErr := math.Inf(-1), 0.0
		points := 1000
		if p.env == "integrator" {
			points = 2000
		}
		for _, points := range []int{points, 4 * points, 16 * points} {
			q, err := dp.SolveGrid(t.Context(), m.(bcpace.Enumerator), dp.GridOptions{MaxPoints: points, NoError: true})
			if err != nil {
				t.Fatal(err)
			}
			r, err := eval.Rollouts(t.Context(), m, dp.LatentPolicy(q, len(m.Spec().Actions)), eval.Options{Episodes: 1000, Seed: 7})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s %v, %d points: %.2f ± %.2f", p.env, p.set, points, r.Mean, r.StdErr)
			if r.Mean < mean-4*math.Hypot(r.StdErr, stdErr) {
				t.Errorf("%s %v: %d points earn %.2f ± %.2f, and a quarter of them earned %.2f ± %.2f", p.env, p.set, points, r.Mean, r.StdErr, mean, stdErr)
			}
			mean, stdErr = r.Mean, r.StdErr
		}
		if p.env == "integrator" && mean < 25.9-4*stdErr {
			t.Errorf("integrator: the finest grid earns %.2f ± %.2f, want 25.9", mean, stdErr)
		}
	}
}
