package sarsop_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/runs"
)

// ahead is the value of some steps from the start, by the tree of all histories.
func ahead(m *pomdp.Model, steps int) float64 {
	v, b := 0.0, make([]float64, m.NumHidden())
	for x := range m.NumVisible() {
		if p := m.StartBelief(b, x); p > 0 {
			v += p * history(m, x, b, steps)
		}
	}
	return v
}

// TestHorizon: on the model that counts down, discounted or not, SARSOP's bounds
// meet at the value of that many steps, and those of QMDP lie above it.
func TestHorizon(t *testing.T) {
	for i := range uint64(300) {
		rng := rand.New(rand.NewPCG(11, i))
		steps := 1 + rng.IntN(3)
		m := pomdptest.Random(rng, 1+rng.IntN(2), 1+rng.IntN(3), []float64{0.9, 1}[rng.IntN(2)])
		m.Horizon = steps
		for _, list := range m.Reward {
			for s := range list { // of one sign, or both
				list[s] += []float64{0, 20, -20}[i%3]
			}
		}
		want := ahead(m, steps)
		var unsupported *bcpace.UnsupportedError
		if _, err := sarsop.Solve(t.Context(), m, sarsop.Options{}); !errors.As(err, &unsupported) {
			t.Fatalf("model %d without the steps left: error %v", i, err)
		}
		if _, err := qmdp.Solve(t.Context(), m, qmdp.Options{}); !errors.As(err, &unsupported) {
			t.Fatalf("model %d without the steps left, QMDP: error %v", i, err)
		}
		clock, err := pomdp.FiniteHorizon(m, 99)
		if err != nil {
			t.Fatal(err)
		}
		if err := clock.Validate(); err != nil {
			t.Fatalf("model %d: %v", i, err)
		}
		r, err := sarsop.Solve(t.Context(), clock, sarsop.Options{Epsilon: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		if r.Lower > want+1e-9 || r.Upper < want-1e-9 || r.Upper-r.Lower > 1e-6 {
			t.Fatalf("model %d, γ = %v, T = %d: [%v, %v], want %v", i, m.Discount, steps, r.Lower, r.Upper, want)
		}
		q, err := qmdp.Solve(t.Context(), clock, qmdp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := qmdp.FIB(t.Context(), clock, qmdp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if u, v := q.MeanAtStart(clock), f.MeanAtStart(clock); v > u+1e-9 || want > v+1e-9 {
			t.Fatalf("model %d: optimum %v, FIB %v, QMDP %v", i, want, v, u)
		}
	}
}

// TestTigerHorizon: Tiger without a discount. Values are those of exact rational
// arithmetic over beliefs.
func TestTigerHorizon(t *testing.T) {
	m := pomdptest.Tiger()
	m.Discount = 1
	for steps, want := range map[int]float64{1: -1, 2: -2, 3: 2.72, 4: 2.42125, 5: 3.60915, 7: 6.246349875, 12: 11.903342936644531} {
		clock, err := pomdp.FiniteHorizon(m, steps)
		if err != nil {
			t.Fatal(err)
		}
		if r := solve(t, clock, sarsop.Options{Epsilon: 1e-6}); math.Abs(r.Lower-want) > 2e-6 || math.Abs(r.Upper-want) > 2e-6 {
			t.Errorf("T = %d: [%v, %v], want %v", steps, r.Lower, r.Upper, want)
		}
		b, err := pomdp.AsBAMDP(t.Context(), clock)
		if err != nil {
			t.Fatal(err)
		}
		r, err := runs.Explore(t.Context(), b, certified.Solver{Epsilon: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		if c := r.Certificate; math.Abs(c.Lower-want) > 2e-6 || math.Abs(c.Upper-want) > 2e-6 {
			t.Errorf("T = %d, certified: [%v, %v], want %v", steps, c.Lower, c.Upper, want)
		}
	}
}

// TestHorizonOverflow: rewards whose sum over the horizon is not a number are refused.
func TestHorizonOverflow(t *testing.T) {
	m := pomdptest.Tiger()
	m.Discount, m.Horizon = 1, 100
	m.Reward[0][0] = pomdp.MaxReward(1) / 10
	var input *bcpace.InputError
	if _, err := pomdp.FiniteHorizon(m, 100); !errors.As(err, &input) {
		t.Errorf("error %v", err)
	}
}
