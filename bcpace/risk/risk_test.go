package risk_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/risk"
	"bayescpace/bcpace/stop"
)

// models calls do with random models, of which every other one has no discount.
func models(t *testing.T, n int, do func(seed uint64, tab bcpace.Tables, m bcpace.Model, rng *rand.Rand)) {
	if testing.Short() {
		n /= 5
	}
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 1))
		tab := pomdptest.RandomTables(rng)
		if seed%2 == 0 {
			tab.Discount = 1
		}
		m, err := bcpace.FromTables(tab)
		if err != nil {
			t.Fatal(err)
		}
		do(seed, tab, m, rng)
	}
}

// TestCVaRAgainstAllPolicies: the bounds hold the largest CVaR, the search closes, and the policy has what it promises.
func TestCVaRAgainstAllPolicies(t *testing.T) {
	models(t, 40, func(seed uint64, tab bcpace.Tables, m bcpace.Model, rng *rand.Rand) {
		share := []float64{0.1, 0.3, 1}[seed/2%3]
		const epsilon = 0.5
		found, err := risk.Solver{Share: share, Epsilon: epsilon}.Solve(t.Context(), m, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		want := brute{Tables: tab}.cvar(share)
		c := found.Certificate
		if c.Lower > want+1e-6 || c.Upper < want-1e-6 || found.Stop != stop.Certified || c.Gap() > epsilon+1e-6 {
			t.Errorf("seed %d: [%v, %v] (%s), want %v", seed, c.Lower, c.Upper, found.Stop, want)
		}
		if seed%10 > 1 {
			return
		}
		r, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 4000, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if i, err := r.CVaR(share); err != nil || i.Hi < c.Lower { // one in forty each
			t.Errorf("seed %d: the CVaR is %+v, %v, want %v at least", seed, i, err, c.Lower)
		}
	})
}

// TestChanceAgainstAllPolicies: the bounds hold the smallest probability.
func TestChanceAgainstAllPolicies(t *testing.T) {
	models(t, 40, func(seed uint64, tab bcpace.Tables, m bcpace.Model, rng *rand.Rand) {
		totals := brute{Tables: tab}.totals()
		level := totals[rng.IntN(len(totals))]
		if seed%4 == 0 {
			level += 0.5
		}
		if tab.Discount < 1 { // not where rounding decides
			level += 1e-4
		}
		const epsilon = 0.05
		found, err := risk.Chance{Level: level, Epsilon: epsilon}.Solve(t.Context(), m, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		want := brute{Tables: tab}.chance(level)
		if found.Certificate.Upper < want-1e-6 || found.Certificate.Lower > want+1e-6 || found.Stop != stop.Certified {
			t.Errorf("seed %d: [%v, %v] (%s), want %v", seed, found.Certificate.Lower, found.Certificate.Upper, found.Stop, want)
		}
		if seed%10 > 1 {
			return
		}
		r, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 4000, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		below := 0.0
		for _, x := range r.Returns {
			if x < level {
				below += 1. / 4000
			}
		}
		if below > found.Certificate.Upper+0.04 { // by Hoeffding's inequality, less than once in 300,000
			t.Errorf("seed %d: %v are below, want %v at most", seed, below, found.Certificate.Upper)
		}
	})
}

// TestOnGrid: bounds hold on a grid as they do without one, for models without an end too.
func TestOnGrid(t *testing.T) {
	defer risk.AlwaysGrid()()
	models(t, 12, func(seed uint64, tab bcpace.Tables, m bcpace.Model, rng *rand.Rand) {
		const share, epsilon, steps = 0.3, 1, 5
		slip := 0.0
		if seed%4 == 1 { // what comes after some steps is worth next to nothing
			tab.Horizon, tab.Discount = 0, 0.2
			slip = 20 * math.Pow(tab.Discount, steps) / (1 - tab.Discount)
			var err error
			if m, err = bcpace.FromTables(tab); err != nil {
				t.Fatal(err)
			}
			tab.Horizon = steps
		}
		found, err := risk.Solver{Share: share, Epsilon: epsilon}.Solve(t.Context(), m, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		// Between two levels g is more than at the lower one by their distance at most.
		b, want, apart := brute{Tables: tab}, math.Inf(-1), 0.25
		for level := -30.0; level <= 30; level += apart {
			b.loss = func(total float64) float64 { return max(level-total, 0) }
			want = max(want, level-b.least()/share)
		}
		c := found.Certificate
		if c.Lower > want+apart+slip/share+1e-6 || c.Upper < want-slip/share-1e-6 || found.Stop != stop.Certified {
			t.Errorf("seed %d: [%v, %v] (%s), want %v", seed, c.Lower, c.Upper, found.Stop, want)
		}
		if seed%4 > 1 {
			return
		}
		r, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 4000, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if i, err := r.CVaR(share); err != nil || i.Hi < c.Lower {
			t.Errorf("seed %d: the CVaR is %+v, %v, want %v at least", seed, i, err, c.Lower)
		}
	})
}

// TestChanceOnGrid: bounds of probabilities hold on a grid, whether it comes to a close or not.
func TestChanceOnGrid(t *testing.T) {
	defer risk.AlwaysGrid()()
	models(t, 20, func(seed uint64, tab bcpace.Tables, m bcpace.Model, rng *rand.Rand) {
		totals := brute{Tables: tab}.totals()
		level := totals[rng.IntN(len(totals))] + 0.3
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		found, err := risk.Chance{Level: level, Epsilon: 0.05}.Solve(ctx, m, bcpace.Control{})
		if errors.Is(err, context.DeadlineExceeded) { // a slow machine had found nothing by then
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		want := brute{Tables: tab}.chance(level)
		if found.Certificate.Upper < want-1e-6 || found.Certificate.Lower > want+1e-6 {
			t.Errorf("seed %d: [%v, %v] (%s), want %v", seed, found.Certificate.Lower, found.Certificate.Upper, found.Stop, want)
		}
	})
}

// TestSamePay: where every step pays the same, so does every episode, and this is what each share of them returns in the mean.
func TestSamePay(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, pay := range []float64{0, 1, -2} {
		tab := pomdptest.RandomTables(rng)
		tab.Discount, tab.Ends, tab.RNext = 1, nil, nil
		tab.R = make([][][]float64, len(tab.P))
		for φ := range tab.R {
			for _, states := range tab.P[φ] {
				tab.R[φ] = append(tab.R[φ], slices.Repeat([]float64{pay}, len(states)))
			}
		}
		m, err := bcpace.FromTables(tab)
		if err != nil {
			t.Fatal(err)
		}
		want := pay * float64(m.Spec().Horizon)
		for _, share := range []float64{1e-6, 0.1, 1} {
			found, err := risk.Solver{Share: share, Epsilon: 0.01}.Solve(t.Context(), m, bcpace.Control{})
			if err != nil {
				t.Fatal(err)
			}
			if c := found.Certificate; c.Lower > want || c.Upper < want || c.Gap() > 1e-5 || found.Stop != stop.Certified {
				t.Errorf("%v a step, share %v: [%v, %v] (%s), want %v", pay, share, c.Lower, c.Upper, found.Stop, want)
			}
		}
	}
}
