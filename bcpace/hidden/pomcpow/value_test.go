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
// believed too much: in a problem of a look that errs with probability 0.3 at no price but the discount, and then a guess.
// The values of the start and of its actions are those of exact dynamic programming over the number of looks that say high more than low.
func TestValue(t *testing.T) {
	const wrong = 0.3
	want := guessValue(wrong, 9)
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
		t.Logf("%s %v", name, sum)
		if math.Abs(sum-want) > 0.04 {
			t.Errorf("%s: a look is worth %v, want %v", name, sum, want)
		}
	}
}

// guessValue is that of a look in hiddentest.Guess, with so many looks at most.
func guessValue(wrong float64, looks int) float64 {
	var look func(lead, left int) float64
	value := func(lead, left int) float64 {
		odds := math.Pow((1-wrong)/wrong, math.Abs(float64(lead)))
		best := (odds - 1) / (odds + 1)
		if left > 0 {
			best = max(best, look(lead, left))
		}
		return best
	}
	look = func(lead, left int) float64 {
		odds := math.Pow((1-wrong)/wrong, float64(lead))
		high := odds / (odds + 1)
		up := high*(1-wrong) + (1-high)*wrong
		return -0.05 + 0.9*(up*value(lead+1, left-1)+(1-up)*value(lead-1, left-1))
	}
	return look(0, looks)
}
