package lipschitz_test

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/lipschitz"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

func optimalValues(t *testing.T, m bcpace.Model, depth int) *lipschitz.QueryValues {
	t.Helper()
	v, err := lipschitz.OptimalValues(context.Background(), m, cover.ReachOptions{Depth: depth})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func observe(t *testing.T, v *lipschitz.QueryValues, o lipschitz.ObserveOptions) *lipschitz.Observed {
	t.Helper()
	x, err := v.Observe(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// The worst pairs and the counts are those of a plain double loop over the public
// metric.
func TestObserveByBruteForce(t *testing.T) {
	m := envs.Chain{}
	v := optimalValues(t, m, 5)
	const alpha, bound = 0.5, 8.0
	x := observe(t, v, lipschitz.ObserveOptions{Alpha: alpha, Bounds: []lipschitz.NamedConstant{{"eight", bound}}})
	metric := metric.New(m.Spec(), alpha)
	pairs, broken := 0, 0
	var lq, lb, ls float64
	for i := range v.Len() {
		for j := range i {
			d := metric.Distance(v.State(i), v.Belief(i), v.State(j), v.Belief(j))
			if v.Actions[i] != v.Actions[j] || d < 1e-9 {
				continue
			}
			gap := max(0, math.Abs(v.Q[i]-v.Q[j])-2*v.Error)
			pairs++
			if gap > bound*d*(1+1e-9) {
				broken++
			}
			lq = max(lq, gap/d)
			if v.State(i)[0] == v.State(j)[0] {
				lb = max(lb, gap/d)
			}
			if v.Belief(i).L1(v.Belief(j)) < 1e-9 {
				ls = max(ls, gap/math.Abs(v.State(i)[0]-v.State(j)[0]))
			}
		}
	}
	if x.Pairs != pairs || x.Broken[0] != broken || broken == 0 || broken == pairs {
		t.Errorf("%d pairs, %v broken, want %d and %d", x.Pairs, x.Broken, pairs, broken)
	}
	near(t, "LQ", x.LQ.Value, lq)
	near(t, "LB", x.LB.Value, lb)
	near(t, "LS", x.LS.Value, ls)
	if w := x.LB.Worst; w.S2 != nil || math.Abs(w.Difference/w.B1.L1(w.B2)-lb) > 1e-9*lb {
		t.Errorf("the witness does not have the ratio: %+v", w)
	}
	marked := 0
	for _, g := range x.Kept {
		if g.Breaks != 0 {
			marked++
		}
		if (g.Breaks == 1) != (g.Difference > bound*g.Distance*(1+1e-9)) {
			t.Fatalf("wrongly marked: %+v", g)
		}
	}
	if marked == 0 {
		t.Error("no kept pair breaks the bound")
	}
}

// No pair of optimal values breaks the tight constants, nor, which are larger, the
// paper's; in Light-Dark Tiger the one in the belief is attained.
func TestTightHoldsOnEveryPair(t *testing.T) {
	for _, x := range []struct {
		m     bcpace.Model
		depth int
	}{{envs.Tiger{}, 0}, {envs.Tiger{Ends: true}, 0}, {envs.Chain{}, 7}, {envs.Chain{Discount: 0.8}, 9}, {envs.LightDarkTiger{}, 0}} {
		c := constants(t, x.m, lipschitz.Options{})
		alpha := 1.0
		if c.Tight.Alpha > 0 {
			alpha = c.Tight.Alpha
		}
		got := observe(t, optimalValues(t, x.m, x.depth), lipschitz.ObserveOptions{Alpha: alpha,
			Bounds: c.Named(alpha)})
		if got.Pairs == 0 || got.Broken[0] != 0 || got.Broken[1] != 0 {
			t.Errorf("%s: %d pairs, broken %v, worst %+v", got.Model, got.Pairs, got.Broken, got.LQ)
		}
		if got.LB.Value > c.Tight.LB*(1+1e-9) || got.LS.Value > c.Tight.LS*(1+1e-9) {
			t.Errorf("%s: observed %v and %v above the tight %v and %v", got.Model, got.LB.Value, got.LS.Value, c.Tight.LB, c.Tight.LS)
		}
		if got.Model == "light-dark-tiger" {
			near(t, "L_B, attained", got.LB.Value, c.Tight.LB)
		}
	}
}

func TestRunValues(t *testing.T) {
	r, err := runs.Explore(context.Background(), envs.Chain{}, cpace.Solver{Epsilon: 1, LipQ: 2, K: 3, Batch: 20})
	if err != nil {
		t.Fatal(err)
	}
	v, err := lipschitz.RunValues(r)
	if err != nil || v.Len() != r.Samples.Len() || v.Function != "Q̃" {
		t.Fatalf("%v, %v", v, err)
	}
	if q, _ := r.Q(v.State(3), v.Belief(3), v.Actions[3]); q != v.Q[3] {
		t.Errorf("Q̃ is %v, want %v", v.Q[3], q)
	}
	o := lipschitz.ObserveOptions{Keep: 50, MaxPoints: 40, Seed: 3}
	x, y := observe(t, v, o), observe(t, v, o)
	if x.Queries != 40 || !reflect.DeepEqual(x, y) {
		t.Errorf("%d queries; twice the same: %v", x.Queries, reflect.DeepEqual(x, y))
	}
	if _, err := lipschitz.RunValues(nil); err == nil || !strings.Contains(err.Error(), "want a run") {
		t.Error(err)
	}
}

func TestObserveErrors(t *testing.T) {
	v := optimalValues(t, envs.Tiger{}, 0)
	for name, o := range map[string]lipschitz.ObserveOptions{
		"alpha": {Alpha: -1}, "keep": {Keep: -1}, "bound": {Bounds: []lipschitz.NamedConstant{{"x", math.NaN()}}},
	} {
		if _, err := v.Observe(context.Background(), o); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%s: %v", name, err)
		}
	}
	v.Q[0] = math.NaN()
	if _, err := v.Observe(context.Background(), lipschitz.ObserveOptions{}); err == nil || !strings.Contains(err.Error(), "a finite number") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := optimalValues(t, envs.Tiger{}, 0).Observe(ctx, lipschitz.ObserveOptions{}); err != context.Canceled {
		t.Error(err)
	}
}

// Listening in Tiger drives beliefs apart no more than max p/min p = 0.85/0.15 times,
// and Light-Dark Tiger's updates, which show all or nothing, never.
func TestExpansions(t *testing.T) {
	ctx := context.Background()
	x, err := lipschitz.Expansions(ctx, envs.Tiger{}, lipschitz.ExpansionOptions{Pairs: 3000, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	expanding, worst := 0, 0.0
	for i, before := range x.Before {
		if before < 0.02*(1-1e-9) || before > 2 {
			t.Fatalf("distance %v before", before)
		}
		if x.After[i] > before*(1+1e-9) {
			expanding++
		}
		worst = max(worst, x.After[i]/before)
	}
	if len(x.Before) < 2900 || expanding != x.Expanding || expanding < 100 {
		t.Errorf("%d pairs, %d expanding, said %d", len(x.Before), expanding, x.Expanding)
	}
	near(t, "the worst ratio", x.Worst.Ratio, worst)
	if worst > 0.85/0.15 || worst < 3 {
		t.Errorf("the worst ratio is %v, want 3 to 0.85/0.15", worst)
	}
	y, err := lipschitz.Expansions(ctx, envs.Tiger{}, lipschitz.ExpansionOptions{Pairs: 3000, Seed: 2})
	if err != nil || !reflect.DeepEqual(x, y) {
		t.Error("the same seed drew other pairs")
	}
	if x, err := lipschitz.Expansions(ctx, envs.LightDarkTiger{}, lipschitz.ExpansionOptions{}); err != nil || x.Expanding != 0 || len(x.Before) < 1500 {
		t.Errorf("%+v, %v", x, err)
	}
	if _, err := lipschitz.Expansions(ctx, envs.Tiger{}, lipschitz.ExpansionOptions{Pairs: -1}); err == nil || !strings.Contains(err.Error(), "want") {
		t.Error(err)
	}
}

// TestObserveCoinciding: what was heard counts nothing in Tiger's metric, and queries
// at one belief are one.
func TestObserveCoinciding(t *testing.T) {
	v := optimalValues(t, envs.Tiger{}, 4)
	x := observe(t, v, lipschitz.ObserveOptions{})
	pairs, same := 0, 0
	for i := range v.Len() {
		for j := range i {
			switch {
			case v.Actions[i] != v.Actions[j]:
			case v.Belief(i).L1(v.Belief(j)) > 1e-9:
				pairs++
			default:
				same++
			}
		}
	}
	if x.Pairs != pairs || same == 0 || math.IsInf(x.LQ.Value, 1) || math.IsNaN(x.LQ.Value) {
		t.Errorf("%d pairs and L_Q %v, want %d beside %d that coincide", x.Pairs, x.LQ.Value, pairs, same)
	}
}
