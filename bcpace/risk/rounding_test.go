package risk_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/risk"
	"bayescpace/bcpace/stop"
)

// shares are those of CVaRs that tests try.
var shares = []float64{1, 0.7, 0.25, 0.1, 1e-3, 1e-6, 1e-12}

// small calls do with random models of two or three steps, whose rewards pay says by a whole number from 0 to 3.
func small(t *testing.T, n int, pay func(k float64) float64, do func(seed uint64, tab bcpace.Tables, rng *rand.Rand)) {
	t.Helper()
	if testing.Short() {
		n /= 5
	}
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 7))
		tab := pomdptest.RandomTables(rng)
		tab.Discount, tab.Horizon = []float64{1, 0.5, 0.9}[rng.IntN(3)], 2+rng.IntN(2)
		for _, actions := range tab.R {
			for _, states := range actions {
				for s := range states {
					states[s] = pay(float64(rng.IntN(4)))
				}
			}
		}
		do(seed, tab, rng)
	}
}

// solved solves for the CVaR and, where level is a number, for the chance to be below it, and compares the bounds with what is right, which may be wrong by
// near for rounding.
func solved(t *testing.T, seed uint64, tab bcpace.Tables, right brute, share, epsilon, level, near float64) {
	t.Helper()
	m, err := bcpace.FromTables(tab)
	if err != nil {
		t.Fatal(err)
	}
	found, err := risk.Solver{Share: share, Epsilon: epsilon}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	want, c := right.cvar(share), found.Certificate
	if c.Lower > want+near || c.Upper < want-near || found.Stop != stop.Certified || c.Gap() > epsilon {
		t.Errorf("seed %d, share %v, ε %v: [%v, %v] (%s), want %v", seed, share, epsilon, c.Lower, c.Upper, found.Stop, want)
	}
	if _, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 200, Seed: seed}); err != nil {
		t.Errorf("seed %d, share %v: %v", seed, share, err)
	}
	const apart = 1e-9
	chance, err := risk.Chance{Level: level, Epsilon: apart}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	right.loss = func(total float64) float64 {
		if total < level-near {
			return 1
		}
		return 0
	}
	if want := right.least(); chance.Certificate.Lower > want+1e-12 || chance.Certificate.Upper < want-1e-12 || chance.Stop != stop.Certified || chance.Certificate.Upper-chance.Certificate.Lower > apart {
		t.Errorf("seed %d, level %v: [%v, %v] (%s), want %v", seed, level, chance.Certificate.Lower, chance.Certificate.Upper, chance.Stop, want)
	}
	r, err := eval.Rollouts(t.Context(), m, chance.Policy, eval.Options{Episodes: 1000, Seed: seed})
	if err != nil {
		t.Fatalf("seed %d, level %v: %v", seed, level, err)
	}
	below := 0.0
	for _, x := range r.Returns {
		if x < level-near {
			below += 1 / float64(len(r.Returns))
		}
	}
	if below > chance.Certificate.Upper+0.09 { // by Hoeffding's inequality, less than once in a million
		t.Errorf("seed %d, level %v: %v are below, want %v at most", seed, level, below, chance.Certificate.Upper)
	}
}

// TestPenaltyNobodyPays: an action that is never right does not change what is, however much it costs.
func TestPenaltyNobodyPays(t *testing.T) {
	small(t, 50, func(k float64) float64 { return k / 2 }, func(seed uint64, tab bcpace.Tables, rng *rand.Rand) {
		right := brute{Tables: tab}
		totals := right.totals()
		tab.P, tab.R = append([][][][]float64(nil), tab.P...), append([][][]float64(nil), tab.R...)
		costs := math.Pow(10, float64(3+rng.IntN(8)))
		for φ := range tab.P {
			tab.P[φ] = append(tab.P[φ][:len(tab.P[φ]):len(tab.P[φ])], tab.P[φ][0])
			tab.R[φ] = append(tab.R[φ][:len(tab.R[φ]):len(tab.R[φ])], []float64{-costs, -costs})
		}
		solved(t, seed, tab, right, shares[rng.IntN(len(shares))], 1e-2, totals[rng.IntN(len(totals))], 1e-12)
	})
}

// TestRewardsThatHardlyDiffer: rewards that differ in the tenth digit tell latents apart as others do, and what they sum to is below a level
// or not.
func TestRewardsThatHardlyDiffer(t *testing.T) {
	for _, of := range []struct{ base, step float64 }{{1, 1e-9}, {-1e-3, 3e-12}, {1e8, 0.01}, {1e6, 0.001}, {7, 1e-8}} {
		small(t, 10, func(k float64) float64 { return of.base + k*of.step }, func(seed uint64, tab bcpace.Tables, rng *rand.Rand) {
			right := brute{Tables: tab}
			totals := right.totals()
			near := 1e-12 * math.Abs(of.base)
			level := totals[rng.IntN(len(totals))]
			if rng.IntN(4) == 0 {
				level += of.step / 30
			}
			solved(t, seed, tab, right, shares[rng.IntN(len(shares))], of.step*[]float64{0.1, 0.5, 10}[rng.IntN(3)], level, near)
		})
	}
}

// TestClosesAtReturns: the largest CVaR is at a return that an episode may have, where the search looks for it, so that a small ε does not take more
// levels than there are returns.
func TestClosesAtReturns(t *testing.T) {
	small(t, 60, func(k float64) float64 { return []float64{-1, 0, 0.1, 3}[int(k)] }, func(seed uint64, tab bcpace.Tables, rng *rand.Rand) {
		right := brute{Tables: tab}
		totals := right.totals()
		solved(t, seed, tab, right, shares[rng.IntN(len(shares))], 1e-6, totals[rng.IntN(len(totals))], 1e-12)
	})
}

// TestSameSumOfOtherSizes: where a history of large rewards comes to what one of small ones does, the rounding of the large ones does not decide for both.
func TestSameSumOfOtherSizes(t *testing.T) {
	const large, short = 1e9, 1e-6
	to := func(next ...int) []float64 {
		row := make([]float64, 6)
		for _, s := range next {
			row[s] += 1 / float64(len(next))
		}
		return row
	}
	pays := func(r float64) []float64 { return slices.Repeat([]float64{r}, 6) }
	m, err := bcpace.FromTables(bcpace.Tables{Discount: 1, Horizon: 3, Prior: []float64{1}, Start: to(0, 1),
		P:     [][][][]float64{{{to(2), to(3), to(4), to(4), to(0, 4, 5), to(5)}}},
		RNext: [][][][]float64{{{pays(large), pays(0), pays(-large), pays(0), {2, 0, 0, 0, -5, 1 - short}, pays(0)}}}})
	if err != nil {
		t.Fatal(err)
	}
	found, err := risk.Chance{Level: 1, Epsilon: 0.1}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	// A third of the episodes loses 5, and a third falls short of the level, which for those of them with large rewards may be rounding.
	if found.Certificate.Lower > 0.5 || found.Certificate.Upper < 0.5 || found.Stop == stop.Certified {
		t.Errorf("[%v, %v] (%s), want 0.5 or more, if that is not rounding", found.Certificate.Lower, found.Certificate.Upper, found.Stop)
	}
}

// TestOwnHorizon: in a model that ends its episodes itself, histories of other lengths come to the same state.
func TestOwnHorizon(t *testing.T) {
	small(t, 40, func(k float64) float64 { return k }, func(seed uint64, tab bcpace.Tables, rng *rand.Rand) {
		const states = 4
		tab.Discount, tab.Horizon, tab.Ends, tab.Start = 0.9, states-1, []bool{false, false, false, true}, []float64{1, 0, 0, 0}
		for φ, actions := range tab.P {
			for a := range actions {
				tab.P[φ][a], tab.R[φ][a] = nil, nil
				for s := range states {
					row, most := make([]float64, states), min(s+1+rng.IntN(states), states-1)
					row[min(s+1, states-1)] += 0.5
					row[most] += 0.5
					tab.P[φ][a], tab.R[φ][a] = append(tab.P[φ][a], row), append(tab.R[φ][a], float64(rng.IntN(4))*1e6+0.1)
				}
				tab.R[φ][a][states-1] = 0
			}
		}
		m, err := bcpace.FromTables(tab)
		if err != nil {
			t.Fatal(err)
		}
		right := brute{Tables: tab}
		totals := right.totals()
		level := totals[rng.IntN(len(totals))]
		right.loss = func(total float64) float64 {
			if total < level-1e-7 {
				return 1
			}
			return 0
		}
		own := bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) { a.KeepsHorizon = true })
		found, err := risk.Chance{Level: level, Epsilon: 1e-6}.Solve(t.Context(), own, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		if want := right.least(); found.Certificate.Lower > want+1e-12 || found.Certificate.Upper < want-1e-12 || found.Stop != stop.Certified {
			t.Errorf("seed %d, level %v: [%v, %v] (%s), want %v", seed, level, found.Certificate.Lower, found.Certificate.Upper, found.Stop, want)
		}
		if _, err := eval.Rollouts(t.Context(), own, found.Policy, eval.Options{Episodes: 200, Seed: seed}); err != nil {
			t.Errorf("seed %d, level %v: %v", seed, level, err)
		}
	})
}
