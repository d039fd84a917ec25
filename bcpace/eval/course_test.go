package eval_test

import (
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

// The course of returns is that of the recorded episodes, also of those that have ended, and
// ends with the returns.
//
//test:race
func TestCourse(t *testing.T) {
	m := envs.Tiger{Ends: true}
	p := bcpace.RandomPolicy(m)
	for _, undiscounted := range []bool{false, true} {
		o := eval.Options{Episodes: 30, Horizon: 10, Seed: 3, Every: 5, Undiscounted: undiscounted, Workers: 2}
		r, err := eval.Rollouts(t.Context(), m, p, o)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Course) != 2 || r.Course[1] != eval.IntervalOf(r.Returns) {
			t.Fatalf("course %v, want two entries, the last of which is the mean %v", r.Course, r.Mean)
		}
		var five []float64
		for i := range 30 {
			e, err := eval.RecordEpisode(m, p, o, i)
			if err != nil {
				t.Fatal(err)
			}
			sum, weight := 0.0, 1.0
			for _, x := range e.Rewards[:min(5, e.Len())] {
				sum += weight * x
				if !undiscounted {
					weight *= 0.95
				}
			}
			five = append(five, sum)
		}
		if want := eval.IntervalOf(five); math.Abs(r.Course[0].Mean-want.Mean) > 1e-9 {
			t.Errorf("after 5 steps: %v, want %v", r.Course[0], want)
		}
	}
	if _, err := eval.Rollouts(t.Context(), m, p, eval.Options{Every: -1}); err == nil {
		t.Error("no error for Every below 0")
	}
}
