package eval_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

func TestSpreadOf(t *testing.T) {
	ctx, m, o := context.Background(), envs.Chain{}, eval.ExactOptions{Horizon: 20}
	var all []*runs.Run
	sum, lo, hi, samples, optimistic, episodes, sweeps := 0.0, math.Inf(1), math.Inf(-1), 0, 0.0, 0, 0
	for seed := range uint64(3) {
		r, err := runs.Explore(ctx, m, cpace.Solver{Epsilon: 1, K: 2, LipQ: 2, Batch: 10, MaxEpisodes: 100, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		e, err := eval.Evaluate(ctx, m, r.Policy(), o)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
		sum, lo, hi = sum+e.Value, min(lo, e.Value), max(hi, e.Value)
		samples += r.Samples.Len()
		optimistic += r.Value / 3
		episodes += len(r.Trace)
		for _, e := range r.Trace {
			sweeps += e.Sweeps
		}
	}
	s, err := eval.SpreadOf(ctx, "k = 2", m, all, o)
	if err != nil {
		t.Fatal(err)
	}
	if s.Setting != "k = 2" || s.Lowest != lo || s.Highest != hi || math.Abs(s.Value-sum/3) > 1e-9 || math.Abs(s.Samples-float64(samples)/3) > 1e-9 || math.Abs(s.Optimistic-optimistic) > 1e-9 || math.Abs(s.Episodes-float64(episodes)/3) > 1e-9 || math.Abs(s.Sweeps-float64(sweeps)/3) > 1e-9 || sweeps == 0 {
		t.Errorf("%+v, want value %v in [%v, %v] and %d samples in all", s, sum/3, lo, hi, samples)
	}
	var input *bcpace.InputError
	if _, err := eval.SpreadOf(ctx, "none", m, nil, o); !errors.As(err, &input) {
		t.Errorf("no runs: error %v", err)
	}
}

// TestRecordEpisodes: they are the episodes of Rollouts.
func TestRecordEpisodes(t *testing.T) {
	m, p, o := envs.Chain{}, bcpace.RandomPolicy(envs.Chain{}), eval.Options{Episodes: 3, Horizon: 7, Seed: 5}
	list, err := eval.RecordEpisodes(m, p, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := eval.Rollouts(context.Background(), m, p, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 3 {
		t.Fatalf("%d episodes, want 3", len(list))
	}
	for i, x := range list {
		if x.Return != r.Returns[i] || x.Len() != 7 {
			t.Errorf("episode %d: return %v in %d steps, want %v in 7", i, x.Return, x.Len(), r.Returns[i])
		}
	}
	if _, err := eval.RecordEpisodes(m, p, eval.Options{Episodes: -1}); err == nil {
		t.Error("a negative number of episodes is no error")
	}
}
