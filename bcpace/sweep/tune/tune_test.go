package tune_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"bayescpace/bcpace/frame"
	"bayescpace/bcpace/sweep"
	"bayescpace/bcpace/sweep/tune"
	_ "bayescpace/envs"
)

// chain tunes Algorithm 1 on Chain.
func chain(seeds int) tune.Spec {
	return tune.Spec{Sweep: sweep.Spec{
		Base:  sweep.Trial{Env: "chain", Set: sweep.Values{"discount": 0.8}, Algorithm: "bayes-cpace", Params: sweep.Values{"epsilon": 1, "max-episodes": 20}, Eval: &sweep.Eval{Exact: true, Horizon: 10}},
		Grid:  []sweep.Axis{{Key: "params.k", Values: []any{1, 5}}, {Key: "params.lipschitz", Values: []any{0.1, 1}}},
		Seeds: seeds,
	}}
}

// TestTuning finds what the whole sweep finds, within what its seeds tell, and goes on where it was.
func TestTuning(t *testing.T) {
	folder := t.TempDir()
	x := tune.On{Spec: chain(16), Folder: folder}
	r, err := x.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := sweep.On{Spec: x.Sweep, Folder: t.TempDir()}.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	groups, err := whole.By("exact", "params.k", "params.lipschitz")
	if err != nil {
		t.Fatal(err)
	}
	top := 0
	for i, g := range groups {
		if g.Mean > groups[top].Mean {
			top = i
		}
		if r.Settings[i].Seeds == 16 && math.Abs(r.Settings[i].Mean-g.Mean) > 1e-12 {
			t.Errorf("setting %v has mean %v, and %v in the whole sweep", g.Values, r.Settings[i].Mean, g.Mean)
		}
	}
	if r.Settings[top].Rung != 0 || r.Best != top {
		t.Errorf("best %v, want %v: %+v", r.Settings[r.Best], groups[top].Values, r.Settings[top])
	}
	if r.Whole != 4*16 || r.Trials > r.Whole || r.Left < 1 {
		t.Errorf("%d of %d trials, %d left", r.Trials, r.Whole, r.Left)
	}
	t.Logf("%d of %d trials, %d left", r.Trials, r.Whole, r.Left)

	computed := 0
	again, err := x.Run(t.Context(), func(p sweep.Progress) {
		if p.Trials > 0 && p.Done == p.Trials {
			computed += p.Trials - p.Cached
		}
	})
	if err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("again: error %v, the same %v", err, reflect.DeepEqual(again, r))
	}
	if computed != 0 {
		t.Errorf("it computed %d trials again", computed)
	}
	if table := frame.Of(r.Columns()); table.Nrow() != 4 {
		t.Errorf("a table of %d rows, %v", table.Nrow(), table.Err)
	}
}

// TestInterrupted keeps the rungs so far: the second one, in which the results of the first are kept ones, is ended.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := tune.On{Spec: chain(8), Folder: t.TempDir()}.Run(ctx, func(p sweep.Progress) {
		if p.Cached > 0 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || r == nil || !reflect.DeepEqual(r.Rungs, []int{4}) {
		t.Errorf("result %+v, error %v, want that of the first rung and the context's", r, err)
	}
}

func TestRefused(t *testing.T) {
	good := chain(8)
	for want, change := range map[string]func(*tune.Spec){
		"two or more": func(s *tune.Spec) { s.Sweep.Grid = nil },
		"First":       func(s *tune.Spec) { s.First = 9 },
		"Delta":       func(s *tune.Spec) { s.Delta = 1 },
		"Sweep.Seeds": func(s *tune.Spec) { s.Sweep.Seeds = 1 },
		"Measure":     func(s *tune.Spec) { s.Sweep.Base.Eval = nil },
		"the measure": func(s *tune.Spec) { s.Measure = "gain" },
		"params.k":    func(s *tune.Spec) { s.Sweep.Grid = append(s.Sweep.Grid, s.Sweep.Grid[0]) },
		"no setting":  func(s *tune.Spec) { s.Measure = "points" },
	} {
		s := good
		change(&s)
		_, err := tune.On{Spec: s, Folder: t.TempDir()}.Run(t.Context(), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that has %q", err, want)
		}
	}
}
