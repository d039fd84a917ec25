//go:build long

package tune_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"bayescpace/bcpace/sweep"
	"bayescpace/bcpace/sweep/tune"
)

// episodesIn adds up the episodes of the results that a folder has: each line is a checksum, a blank and JSON.
func episodesIn(t *testing.T, folder string) (sum float64) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "results-*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var x struct{ Outcome struct{ Episodes float64 } }
			if _, entry, ok := strings.Cut(line, " "); !ok || json.Unmarshal([]byte(entry), &x) != nil {
				t.Fatalf("%s: %q", name, line)
			}
			sum += x.Outcome.Episodes
		}
	}
	return sum
}

// grid returns 24 settings of Algorithm 1 on an environment, with 32 seeds.
func grid(env string, set sweep.Values, params sweep.Values, horizon int, k, lipschitz []any) sweep.Spec {
	params["certificate-episodes"] = -1
	return sweep.Spec{Base: sweep.Trial{Env: env, Set: set, Algorithm: "bayes-cpace", Params: params, Eval: &sweep.Eval{Exact: true, Horizon: horizon}},
		Grid: []sweep.Axis{{Key: "params.k", Values: k}, {Key: "params.lipschitz", Values: lipschitz}}, Seeds: 32}
}

// TestReach: on three problems, successive halving over seeds and budgets finds a setting that the seeds of the whole grid
// do not tell from its best one, at about a fifth of its episodes.
func TestReach(t *testing.T) {
	for name, x := range map[string]struct {
		sweep   sweep.Spec
		budgets []any
	}{
		"Tiger": {grid("tiger", sweep.Values{"discount": 0.75}, sweep.Values{}, 30, []any{5, 10, 20, 50, 100, 200}, []any{10, 20, 60, 200}), []any{200, 400}},
		"Chain": {grid("chain", sweep.Values{"discount": 0.8}, sweep.Values{}, 40, []any{1, 2, 3, 5, 10, 20}, []any{0.5, 1, 2, 5}), []any{100, 200}},
		"a room": {grid("light-dark-tiger", sweep.Values{"width": 3, "height": 3, "discount": 0.8}, sweep.Values{"bound": "constant"}, 40,
			[]any{1, 2, 3, 5, 10, 20}, []any{0.1, 0.25, 1, 4}), []any{100, 200}},
	} {
		t.Run(name, func(t *testing.T) {
			budget := sweep.Axis{Key: "params.max-episodes", Values: x.budgets}
			last := x.sweep
			last.Base.Params["max-episodes"] = x.budgets[1]
			folder := t.TempDir()
			rows, err := sweep.Run(t.Context(), last, sweep.Options{Folder: folder})
			if err != nil {
				t.Fatal(err)
			}
			all := episodesIn(t, folder)
			values := make([][]float64, 24)
			best := 0
			for i, row := range rows.Rows {
				values[i/32] = append(values[i/32], row.Exact)
			}
			for i, v := range values {
				if stat.Mean(v, nil) > stat.Mean(values[best], nil) {
					best = i
				}
			}
			for eta, own := range map[int]string{3: t.TempDir(), 0: folder} { // the latter takes over the trials of the grid
				before := episodesIn(t, own)
				r, err := on(tune.Tuning{Sweep: x.sweep, Budget: budget, Eta: eta}, 0, own).Run(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				part := episodesIn(t, own) - before
				d := make([]float64, 32)
				for j := range d {
					d[j] = values[best][j] - values[r.Best][j]
				}
				loss, sd := stat.MeanStdDev(d, nil)
				half := distuv.StudentsT{Sigma: 1, Nu: 31}.Quantile(0.975) * sd / math.Sqrt(32)
				t.Logf("Eta %d: %d left, %v at %.3f, best of the grid %v at %.3f, behind by %.3f ± %.3f; %.3f of the budgets, %.0f episodes played beside %.0f of the grid, rungs %v", eta, r.Left, r.Settings[r.Best].Values, stat.Mean(values[r.Best], nil),
					r.Settings[best].Values, stat.Mean(values[best], nil), loss, half, r.Cost/r.WholeCost, part, all, r.Rungs)
				if loss > half {
					t.Errorf("Eta %d: the setting found is behind the best by %.3f ± %.3f", eta, loss, half)
				}
				if eta > 0 && (r.Cost > 0.2*r.WholeCost || part > 0.25*all) {
					t.Errorf("it took %.3f of the budgets, want 0.2, and %.3f of the episodes, want 0.25", r.Cost/r.WholeCost, part/all)
				}
			}
		})
	}
}
