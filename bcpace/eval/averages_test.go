package eval_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// TestAveragesOf: the means are those of SpreadOf, and the half width of two values is
// 12.706 (Student's t, one degree of freedom) standard errors.
func TestAveragesOf(t *testing.T) {
	ctx, m, o := t.Context(), envs.Chain{}, eval.ExactOptions{Horizon: 8}
	var all []*runs.Run
	for seed := range uint64(2) {
		r, err := runs.Explore(ctx, m, cpace.Solver{Epsilon: 1, K: 2, LipQ: 2, Batch: 10, MaxEpisodes: 50, CertificateEpisodes: -1, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	a, err := eval.AveragesOf(ctx, "k = 2", m, all, o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := eval.SpreadOf(ctx, "k = 2", m, all, o)
	if err != nil {
		t.Fatal(err)
	}
	steps := float64(all[0].Steps+all[1].Steps) / 2
	if a.Setting != s.Setting || math.Abs(a.Value.Mean-s.Value) > 1e-9 || math.Abs(a.Samples.Mean-s.Samples) > 1e-9 || math.Abs(a.Sweeps.Mean-s.Sweeps) > 1e-9 || a.Steps.Mean != steps {
		t.Errorf("%+v, want the means of %+v and %v steps", a, s, steps)
	}
	if half, want := a.Value.Hi-a.Value.Mean, 12.7062*(s.Highest-s.Lowest)/2; math.Abs(half-want) > 1e-4*want {
		t.Errorf("half width %v, want %v", half, want)
	}
	var input *bcpace.InputError
	if _, err := eval.AveragesOf(ctx, "none", m, nil, o); !errors.As(err, &input) {
		t.Errorf("no runs: error %v", err)
	}
	if one := eval.IntervalOf([]float64{3}); one.Mean != 3 || !math.IsNaN(one.Lo) || !math.IsNaN(one.Hi) {
		t.Errorf("one value: %+v", one)
	}
}

func ExampleIntervalOf() {
	fmt.Println(eval.IntervalOf([]float64{9, 10, 11, 12, 8}).Text(2))
	// Output: 10.00 ± 1.96
}
