package pft_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden/internal/hiddentest"
	"bayescpace/bcpace/hidden/pft"
)

func TestNearsTheOptimum(t *testing.T) {
	for name, s := range map[string]pft.Solver{
		"PFT-DPW":    {Particles: 200, StateK: 8, Budget: bcpace.Budget{Simulations: 3000, Depth: 7}},
		"Sparse-PFT": {Particles: 200, Width: 20, Budget: bcpace.Budget{Simulations: 3000, Depth: 7}},
	} {
		t.Run(name, func(t *testing.T) { hiddentest.NearsTheOptimum(t, s.Planner, 4) })
	}
}

func TestTiger(t *testing.T) {
	hiddentest.EarnsTheOptimum(t, pft.Solver{Particles: 30, Budget: bcpace.Budget{Simulations: 500, Depth: 20}}.Planner, 60)
}

// TestValue: with many particles and next beliefs, the value of Sparse-PFT at the start is near that of the problem, by exact dynamic
// programming. The seeds are fixed.
func TestValue(t *testing.T) {
	for _, wrong := range []float64{0.1, 0.2, 0.3} {
		want := hiddentest.GuessValue(wrong, 5)
		if v := valueOf(t, wrong); math.Abs(v-want) > 0.06 {
			t.Errorf("a look that errs with probability %v is worth %v, want %v", wrong, v, want)
		}
	}
}

// valueOf returns the mean over decisions of what a look is worth to Sparse-PFT.
func valueOf(t *testing.T, wrong float64) (sum float64) {
	t.Helper()
	m := hiddentest.Guess(wrong)
	b := hiddentest.Begin(t, m, []float64{0})
	const decisions = 8
	for seed := range uint64(decisions) {
		d, err := hiddentest.New(t, pft.Solver{Particles: 200, Width: 12, Budget: bcpace.Budget{Simulations: 3000, Depth: 6}}.Planner, m).Plan(t.Context(), []float64{0}, b, rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			t.Fatal(err)
		}
		sum += d.Q[0] / decisions
	}
	return sum
}

func TestCorners(t *testing.T) {
	hiddentest.Corners(t, pft.Solver{Budget: bcpace.Budget{Simulations: 300, Depth: 20}}.Planner, true)
}
