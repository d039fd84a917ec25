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
		r := solve(t, m, sarsop.Solver{Epsilon: 1e-6})
		if err := r.Model.Validate(); err != nil {
			t.Fatalf("model %d: %v", i, err)
		}
		if r.Lower > want+1e-9 || r.Upper < want-1e-9 || r.Upper-r.Lower > 1e-6 {
			t.Fatalf("model %d, γ = %v, T = %d: [%v, %v], want %v", i, m.Discount, steps, r.Lower, r.Upper, want)
		}
		q, err := qmdp.Solver{}.SolvePOMDP(t.Context(), m, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		if first := r.Trace[0].Value; first > q.Value+1e-5 || want > first+1e-9 { // SARSOP's values of the MDP are within 1e-6
			t.Fatalf("model %d: optimum %v, SARSOP's first bound %v, QMDP %v", i, want, first, q.Value)
		}
	}
}

// TestTigerHorizon: Tiger without a discount. Values are those of exact rational
// arithmetic over beliefs.
func TestTigerHorizon(t *testing.T) {
	m := pomdptest.Tiger()
	m.Discount = 1
	for steps, want := range map[int]float64{1: -1, 2: -2, 3: 2.72, 4: 2.42125, 5: 3.60915, 7: 6.246349875, 12: 11.903342936644531} {
		m.Horizon = steps
		r := solve(t, m, sarsop.Solver{Epsilon: 1e-6})
		if math.Abs(r.Lower-want) > 2e-6 || math.Abs(r.Upper-want) > 2e-6 {
			t.Errorf("T = %d: [%v, %v], want %v", steps, r.Lower, r.Upper, want)
		}
		b, err := pomdp.AsBAMDP(t.Context(), r.Model)
		if err != nil {
			t.Fatal(err)
		}
		run, err := runs.Explore(t.Context(), b, certified.Solver{Epsilon: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		if c := run.Certificate; math.Abs(c.Lower-want) > 2e-6 || math.Abs(c.Upper-want) > 2e-6 {
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
