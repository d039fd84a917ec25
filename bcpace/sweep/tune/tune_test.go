package tune_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/frame"
	"bayescpace/bcpace/sweep"
	"bayescpace/bcpace/sweep/tune"
	"bayescpace/envs"
)

// chain tunes Algorithm 1 on Chain. What is measured is exact, and needs no certificate.
func chain(seeds int) tune.Tuning {
	return tune.Tuning{Sweep: sweep.Spec{
		Base:  sweep.Trial{Env: "chain", Set: sweep.Values{"discount": 0.8}, Algorithm: "bayes-cpace", Params: sweep.Values{"epsilon": 1, "certificate-episodes": -1, "max-episodes": 20}, Eval: &sweep.Eval{Exact: true, Horizon: 10}},
		Grid:  []sweep.Axis{{Key: "params.k", Values: []any{1, 5}}, {Key: "params.lipschitz", Values: []any{0.1, 1}}},
		Seeds: seeds,
	}}
}

// whole returns the values of all settings of a sweep, without a tuning.
func whole(t *testing.T, s sweep.Spec) []sweep.Group {
	t.Helper()
	rows, err := sweep.On{Spec: s, Folder: t.TempDir()}.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	groups, err := rows.By("exact", "params.k", "params.lipschitz")
	if err != nil {
		t.Fatal(err)
	}
	return groups
}

// TestTuning finds what the whole sweep finds, within what its seeds tell, and goes on where it was.
func TestTuning(t *testing.T) {
	folder := t.TempDir()
	x := on(chain(16), 0, folder)
	r, err := x.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	groups := whole(t, x.Sweep)
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
	again, err := x.Run(t.Context(), func(p sweep.SweepProgress) {
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
	r, err := on(chain(8), 0, t.TempDir()).Run(ctx, func(p sweep.SweepProgress) {
		if p.Cached > 0 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || r == nil || !reflect.DeepEqual(r.Rungs, []tune.Rung{{Settings: 4, Seeds: 4}}) {
		t.Errorf("result %+v, error %v, want that of the first rung and the context's", r, err)
	}
}

// budgeted tunes Algorithm 1 on a short Tiger over episodes, with rungs (4 seeds, 40), (8, 60), (8, 100).
func budgeted() tune.Tuning {
	return tune.Tuning{Budget: episodes(40, json.Number("60"), "100"), Sweep: sweep.Spec{
		Base: sweep.Trial{Env: "tiger", Set: sweep.Values{"discount": 0.5}, Algorithm: "bayes-cpace", Params: sweep.Values{"epsilon": 1, "certificate-episodes": -1, "max-episodes": 100},
			Eval: &sweep.Eval{Exact: true, Horizon: 10}},
		Grid:  []sweep.Axis{{Key: "params.k", Values: []any{1, 5}}, {Key: "params.lipschitz", Values: []any{10, 60}}},
		Seeds: 8,
	}}
}

// episodes are budgets.
func episodes(values ...any) sweep.Axis {
	return sweep.Axis{Key: "params.max-episodes", Values: values}
}

// TestBudgets: what is left has the values of a sweep with the last budget, the cost is the sum of the budgets, and a tuning
// that was interrupted on its second rung goes on, with other workers, to the same result.
func TestBudgets(t *testing.T) {
	for _, eta := range []int{0, 2} {
		s := budgeted()
		s.Eta = eta
		r, err := on(s, 0, t.TempDir()).Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		trials, cost := 0, 0.0
		for i, at := range r.Rungs {
			if want := (tune.Rung{Settings: at.Settings, Seeds: min(4<<i, 8), Budget: []string{"40", "60", "100"}[i]}); at != want {
				t.Errorf("rung %d is %+v, want %+v", i+1, at, want)
			}
			trials += at.Settings * at.Seeds
			cost += float64(at.Settings * at.Seeds * []int{40, 60, 100}[i])
		}
		if len(r.Rungs) != 3 || r.Trials != trials || r.Cost != cost || r.Whole != 32 || r.WholeCost != 32*100 || eta == 2 && (r.Rungs[1].Settings != 2 || r.Left != 1) {
			t.Errorf("Eta %d: %+v", eta, r)
		}
		groups := whole(t, s.Sweep)
		for i, at := range r.Settings {
			if at.Rung == 0 && at.Mean != groups[i].Mean {
				t.Errorf("Eta %d: setting %v has the mean %v, and %v in the sweep", eta, at.Values, at.Mean, groups[i].Mean)
			}
		}
		if names, _ := r.Columns(); !slices.Contains(names, "max-episodes") {
			t.Errorf("columns %q lack the budget", names)
		}
		folder := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		first := 0
		soFar, err := on(s, 1, folder).Run(ctx, func(p sweep.SweepProgress) {
			if p.Done == p.Trials && p.Trials > 0 {
				first = p.Trials
			} else if first > 0 && p.Done > 1 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) || soFar == nil || !reflect.DeepEqual(soFar.Rungs, r.Rungs[:1]) {
			t.Errorf("interrupted: %+v, error %v", soFar, err)
		}
		if again, err := on(s, 3, folder).Run(t.Context(), nil); err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("gone on: %+v, error %v, want %+v", again, err, r)
		}
	}
}

// TestSeedsPastBudgets: seeds that grow when the budgets are over are added to those that were computed with the last one.
func TestSeedsPastBudgets(t *testing.T) {
	s := budgeted()
	s.First, s.Budget = 2, episodes(40, 60)
	r, err := on(s, 0, t.TempDir()).Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	cost, trials := 0, 0
	for i, at := range r.Rungs {
		fresh := at.Settings * []int{2, 4, 4}[i]
		trials, cost = trials+fresh, cost+fresh*[]int{40, 60, 60}[i]
	}
	if len(r.Rungs) != 3 || r.Rungs[2].Seeds != 8 || r.Rungs[2].Budget != "60" || r.Trials != trials || r.Cost != float64(cost) {
		t.Errorf("%+v, want %d trials at a cost of %d", r, trials, cost)
	}
}

// brittle registers Tiger with a budget, of which models with some accuracies, or all, cannot be made where it is 60.
var brittle = sync.OnceFunc(func() {
	param := func(key, value string) envs.ParamInfo {
		return envs.ParamInfo{Key: key, Default: value, Want: "a number", Doc: "For a test."}
	}
	envs.Register(envs.Info{Name: "brittle", Doc: "Tiger that breaks.", Params: []envs.ParamInfo{param("accuracy", "0.85"), param("budget", "1"), param("breaks", "all")}}, func(v *envs.Values) (bcpace.Model, error) {
		breaks, accuracy := v.Text("breaks"), v.Float("accuracy")
		if v.Float("budget") == 60 && (breaks == "all" || breaks == fmt.Sprint(accuracy)) {
			return nil, &bcpace.ConformanceError{Model: "brittle", What: "it broke"}
		}
		return named{envs.Tiger{Accuracy: accuracy}, v.Name(), v.Params()}, nil
	})
})

// named is Tiger by another name.
type named struct {
	envs.Tiger
	name   string
	params []bcpace.Param
}

func (m named) Spec() bcpace.Spec {
	s := m.Tiger.Spec()
	s.Name, s.Params = m.name, m.params
	return s
}

// TestLateFault: a setting that fails with a larger budget is dropped on that rung, and has no mean; where all that are left
// fail, the error has their fault, also if the first setting of the sweep was dropped before, and the result is that of
// the rungs before.
func TestLateFault(t *testing.T) {
	brittle()
	late := func(breaks string) (*tune.Found, error) {
		s := tune.Tuning{Eta: 2, Budget: sweep.Axis{Key: "set.budget", Values: []any{40, 60, 100}}, Sweep: sweep.Spec{Seeds: 8,
			Base: sweep.Trial{Env: "brittle", Set: sweep.Values{"breaks": breaks}, Algorithm: "qmdp", Eval: &sweep.Eval{Exact: true, Horizon: 10}},
			Grid: []sweep.Axis{{Key: "set.accuracy", Values: []any{0.6, 0.7, 0.95, 0.9}}}}} // the last two earn most
		return on(s, 0, t.TempDir()).Run(t.Context(), nil)
	}
	r, err := late("0.95")
	if err != nil {
		t.Fatal(err)
	}
	if at := r.Settings[2]; at.Rung != 2 || !strings.Contains(at.Fault, "it broke") || at.Seeds != 0 || !math.IsNaN(at.Mean) || at.Behind != 0 {
		t.Errorf("%+v, want it dropped on rung 2 by its fault, without a mean", at)
	}
	r, err = late("all")
	if err == nil || !strings.Contains(err.Error(), "on rung 2 no setting") || !strings.Contains(err.Error(), "it broke") || r == nil || len(r.Rungs) != 1 || r.Left != 2 || r.Settings[0].Rung != 1 {
		t.Errorf("%+v, error %v, want that of the second rung with the result of the first", r, err)
	}
}

func TestRefused(t *testing.T) {
	good := chain(8)
	for want, change := range map[string]func(*tune.Tuning){
		"two or more": func(s *tune.Tuning) { s.Sweep.Grid = nil },
		"First":       func(s *tune.Tuning) { s.First = 9 },
		"Delta":       func(s *tune.Tuning) { s.Delta = 1 },
		"Sweep.Seeds": func(s *tune.Tuning) { s.Sweep.Seeds = 1 },
		"Measure":     func(s *tune.Tuning) { s.Sweep.Base.Eval = nil },
		"the measure": func(s *tune.Tuning) { s.Measure = "gain" },
		"params.k":    func(s *tune.Tuning) { s.Sweep.Grid = append(s.Sweep.Grid, s.Sweep.Grid[0]) },
		"no setting":  func(s *tune.Tuning) { s.Measure = "points" },

		"Budget.Key is missing":             func(s *tune.Tuning) { s.Budget.Values = []any{5} },
		"values of params.max-episodes":     func(s *tune.Tuning) { s.Budget.Key = "params.max-episodes" },
		"Budget.Values is [5 5]":            func(s *tune.Tuning) { s.Budget = episodes(5, 5) },
		"Budget.Values is [5 4]":            func(s *tune.Tuning) { s.Budget = episodes(5, 4) },
		"Budget.Values is [0 4]":            func(s *tune.Tuning) { s.Budget = episodes(0, 4) },
		"Budget.Values is [-1]":             func(s *tune.Tuning) { s.Budget = episodes(-1) },
		"Budget.Values is [many]":           func(s *tune.Tuning) { s.Budget = episodes("many") },
		"Budget.Values is [NaN]":            func(s *tune.Tuning) { s.Budget = episodes("NaN") },
		"Budget.Values is [5 inf]":          func(s *tune.Tuning) { s.Budget = episodes(5, "inf") },
		"params.max-episodes is NaN":        func(s *tune.Tuning) { s.Budget = episodes(math.NaN()) },
		`the key "episodes" is unknown`:     func(s *tune.Tuning) { s.Budget = sweep.Axis{Key: "episodes", Values: []any{5}} },
		`bayes-cpace is "budget"`:           func(s *tune.Tuning) { s.Budget = sweep.Axis{Key: "params.budget", Values: []any{5}} },
		"the key params.k":                  func(s *tune.Tuning) { s.Budget = sweep.Axis{Key: "params.k", Values: []any{5}} },
		"params.seed":                       func(s *tune.Tuning) { s.Budget = sweep.Axis{Key: "params.seed", Values: []any{5}} },
		"Budget.Key is seed,":               func(s *tune.Tuning) { s.Budget = sweep.Axis{Key: "seed", Values: []any{5}} },
		"to 10000000, or 0 for 16":          func(s *tune.Tuning) { s.Sweep.Seeds = math.MaxInt },
		"Eta is 1":                          func(s *tune.Tuning) { s.Eta = 1 },
		"Eta is -2":                         func(s *tune.Tuning) { s.Eta = -2 },
		"Delta is 0.05 beside Eta":          func(s *tune.Tuning) { s.Eta, s.Delta = 2, 0.05 },
		"First is -1, want from 1 to the 8": func(s *tune.Tuning) { s.Eta, s.First = 2, -1 },
	} {
		s := good
		change(&s)
		_, err := on(s, 0, t.TempDir()).Run(t.Context(), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that has %q", err, want)
		}
	}
}

// on returns a tuning with so many workers, and its results in a folder.
func on(s tune.Tuning, workers int, folder string) tune.Tuning {
	s.Workers, s.Folder = workers, folder
	return s
}
