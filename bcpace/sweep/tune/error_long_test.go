//go:build long

package tune_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"bayescpace/bcpace/sweep"
	"bayescpace/bcpace/sweep/tune"
)

// TestStatedError: in 200 tunings of Algorithm 1 on Tiger, whose policies have exact values, the setting that is the best in
// truth at the budget of a rung is dropped in no larger a part than Delta. The truth is the mean over 200 other
// seeds. With a probability of 0.05 for each, more than 0.05·200 + 4·√(0.05·0.95·200) ≈ 22 would happen by chance with a
// probability below 10⁻³. The tunings end before the last one where the verdict is clear: after more drops than that, or
// once the drops so far are 1000 times as likely with a probability of 0.01 as with 22.3/200. If the probability is the
// latter or larger, this ratio does not grow in the mean, so that it ever reaches 1000 with a probability of 10⁻³ at most.
func TestStatedError(t *testing.T) {
	const tunings, seeds = 200, 8
	spec := sweep.Spec{Base: sweep.Trial{Env: "tiger", Set: sweep.Values{"discount": 0.75}, Algorithm: "bayes-cpace", Params: sweep.Values{"certificate-episodes": -1}, Eval: &sweep.Eval{Exact: true, Horizon: 30}},
		Grid: []sweep.Axis{{Key: "params.k", Values: []any{5, 10, 20}}, {Key: "params.lipschitz", Values: []any{10, 20, 60, 200}}}, Seeds: seeds}
	budgets := []any{60, 120}
	truth := make([][]float64, len(budgets)) // by budget and setting
	for b, budget := range budgets {
		all := spec
		all.Base.Params = sweep.Values{"certificate-episodes": -1, "max-episodes": budget}
		all.Base.Seed, all.Seeds = 1_000_000, 200
		for _, g := range whole(t, all) {
			truth[b] = append(truth[b], g.Mean)
			t.Logf("%d episodes, k and L_Q %v: %.2f ± %.2f", budget, g.Values, g.Mean, g.Hi-g.Mean)
		}
	}
	limit := 0.05*tunings + 4*math.Sqrt(0.05*0.95*tunings)
	const few = 0.01
	many := limit / tunings
	ratio := 0.0 // of the likelihoods of few and many, its logarithm
	dropped, kept, cost := 0, 0, []float64{}
	for n := uint64(0); n < tunings && float64(dropped) <= limit && ratio < math.Log(1000); n++ {
		s := spec
		s.Base.Seed = n * seeds
		r, err := on(tune.Tuning{Sweep: s, Budget: sweep.Axis{Key: "params.max-episodes", Values: budgets}}, 0, t.TempDir()).Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		wrong := false
		for k := range r.Rungs {
			best := -1 // of those that came to the rung
			for i, at := range r.Settings {
				if (at.Rung == 0 || at.Rung > k) && (best < 0 || truth[k][i] > truth[k][best]) {
					best = i
				}
			}
			if r.Settings[best].Rung == k+1 {
				wrong = true
				t.Logf("tuning %d: rung %d dropped %v, which is worth %.2f, as behind by %.2f at least", n, k+1, r.Settings[best].Values, truth[k][best], r.Settings[best].Behind)
			}
		}
		if wrong {
			dropped++
			ratio += math.Log(few / many)
		} else {
			ratio += math.Log((1 - few) / (1 - many))
		}
		top := 0
		for i := range truth[1] {
			if truth[1][i] > truth[1][top] {
				top = i
			}
		}
		if r.Settings[top].Rung == 0 {
			kept++
		}
		cost = append(cost, r.Cost/r.WholeCost)
	}
	t.Logf("the best of a rung was dropped in %d of %d tunings, the best at the last budget was kept in %d; %.3f of the budgets", dropped, len(cost), kept, stat.Mean(cost, nil))
	if float64(dropped) > limit {
		t.Errorf("the best of a rung was dropped in %d of %d tunings, want %.0f of %d at most", dropped, len(cost), limit, tunings)
	}
}
