package viz

import (
	"context"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

func TestBeliefEpisodes(t *testing.T) {
	m := envs.Chain{}
	list, err := eval.RecordEpisodes(m, bcpace.RandomPolicy(m), eval.Options{Episodes: 4, Horizon: 6, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	episodes := BeliefEpisodes(list)
	for i, e := range episodes {
		if e.True != list[i].Latents[0] || len(e.Belief) != 7 || bcpace.Belief(e.Belief[6]).L1(list[i].Belief(6)) != 0 {
			t.Errorf("episode %d: %+v, want latent %d and 7 beliefs", i, e, list[i].Latents[0])
		}
	}
	if _, err := (BeliefTrajectories{Latents: m.Spec().Latents, Episodes: episodes}).Figure(); err != nil {
		t.Error(err)
	}
}

func TestResultRows(t *testing.T) {
	r, err := eval.Rollouts(context.Background(), envs.Chain{}, bcpace.RandomPolicy(envs.Chain{}), eval.Options{Episodes: 50, Horizon: 6})
	if err != nil {
		t.Fatal(err)
	}
	if row, want := ResultInterval("random", r), (Interval{"random", r.Mean, r.CI95[0], r.CI95[1]}); row != want {
		t.Errorf("row %+v, want %+v", row, want)
	}
	scores := ScoreIntervals([]eval.Score{{Name: "first", Result: r}, {Name: "second", Result: r}})
	if len(scores) != 2 || scores[0] != ResultInterval("first", r) || scores[1] != ResultInterval("second", r) {
		t.Errorf("rows %+v", scores)
	}
	if c := ScoreSeries("both", []float64{1, 10}, []eval.Score{{Result: r}, {Result: r}}); c.Label != "both" || len(c.X) != 2 || c.Y[1] != r.Mean || c.Lo[0] != r.CI95[0] || c.Hi[1] != r.CI95[1] {
		t.Errorf("curve %+v", c)
	}
	if row, want := MeanInterval("k = 1", eval.Interval{Mean: 2, Lo: 1, Hi: 3}), (Interval{"k = 1", 2, 1, 3}); row != want {
		t.Errorf("row %+v, want %+v", row, want)
	}
	// A mean of equal values, one rounding too high, is still within them.
	rows := SpreadIntervals([]eval.Spread{{Setting: "k = 1", Value: 0.30000000000000004, Lowest: 0.3, Highest: 0.3}, {Setting: "k = 5", Value: 2, Lowest: 1, Highest: 4}})
	if rows[0] != (Interval{"k = 1", 0.3, 0.3, 0.3}) || rows[1] != (Interval{"k = 5", 2, 1, 4}) {
		t.Errorf("rows %+v", rows)
	}
	if _, err := (Intervals{Rows: rows}).Figure(); err != nil {
		t.Error(err)
	}
}
