package pomcpow_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden/internal/hiddentest"
	"bayescpace/bcpace/hidden/pomcpow"
)

// TestValue: a hidden vector that comes to a node with what was seen is not weighted by that again. Else one look would be
// believed too much, and be worth 0.58 in the place of 0.35. The mean of six decisions is off by the largest of noisy values too.
func TestValue(t *testing.T) {
	const wrong = 0.3
	want := hiddentest.GuessValue(wrong, 9)
	for name, s := range map[string]pomcpow.Solver{"POMCP": {NoWidening: true}, "POMCPOW": {}} {
		s.Budget = bcpace.Budget{Simulations: 40_000, Depth: 10}
		m := hiddentest.Guess(wrong)
		b := hiddentest.Begin(t, m, []float64{0})
		sum, decisions := 0.0, 6
		for seed := range decisions {
			d, err := hiddentest.New(t, s.Planner, m).Plan(t.Context(), []float64{0}, b, rand.New(rand.NewPCG(uint64(seed), 1)))
			if err != nil {
				t.Fatal(err)
			}
			sum += d.Q[0] / float64(decisions)
		}
		if math.Abs(sum-want) > 0.04 {
			t.Errorf("%s: a look is worth %v, want %v", name, sum, want)
		}
	}
}
