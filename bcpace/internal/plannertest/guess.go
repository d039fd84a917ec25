package plannertest

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// Guess returns a problem with a value that is known: x is uniform in [0, 1] and static. To look shows whether x is above ½, wrongly
// with probability error; to guess ends the episode, and pays 1 if it is right and −1 if not. A look costs 0.05, so that
// one and then a guess is worth 0.9·(1 − 2·error) − 0.05, with a discount of 0.9, if a second look pays nothing.
func Guess(wrong float64) *hidden.Model {
	return &hidden.Model{
		Spec: hidden.Spec{
			Spec:   bcpace.Spec{Name: "guess", Axes: []bcpace.Axis{{Name: "seen", Labels: []string{"nothing", "low", "high"}, Max: 2}}, Actions: bcpace.Actions("look", "low", "high"), Discount: 0.9, RewardMin: -1, RewardMax: 1},
			Hidden: []bcpace.Axis{{Name: "x", Max: 1}},
		},
		Prior: func(x []float64, rng *rand.Rand) { x[0] = rng.Float64() },
		Step: func(next, nextX, _, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
			nextX[0], next[0] = x[0], 0
			high := x[0] > 0.5
			if action > 0 {
				if high == (action == 2) {
					return bcpace.Outcome{Reward: 1, Done: true}
				}
				return bcpace.Outcome{Reward: -1, Done: true}
			}
			if next[0] = 1; high != (rng.Float64() < wrong) {
				next[0] = 2
			}
			return bcpace.Outcome{Reward: -0.05}
		},
		LogDensity: func(_, x []float64, action int, next, _ []float64) float64 {
			if action > 0 || next[0] == 0 {
				return math.Inf(-1)
			}
			if (x[0] > 0.5) == (next[0] == 2) {
				return math.Log(1 - wrong)
			}
			return math.Log(wrong)
		},
	}
}

// Begin returns the default belief of m in state s.
func Begin(t testing.TB, m *hidden.Model, s []float64) hidden.Belief {
	t.Helper()
	b, err := hidden.DefaultFilter(m).Begin(m, s, rand.New(rand.NewPCG(7, 7)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
