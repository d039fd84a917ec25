package vectors_test

import (
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// lightDark is a small light-dark problem: the position y is a whole number from −8 to 8, moves are known, and what is seen of
// y is clear near 4 alone. Stopping pays 10 at 0 and costs 10 elsewhere, and each move costs ½. Without its simulation's
// shortcut, a policy that stops at once earns −8.8 on average.
func lightDark() *hidden.Model {
	moves := []float64{-4, -1, 0, 1, 4}
	noise := func(y float64) float64 { return math.Abs(y-4) + 0.1 }
	const stay = 2
	return &hidden.Model{
		Spec: hidden.Spec{
			Spec: bcpace.Spec{Name: "light-dark", Axes: []bcpace.Axis{{Name: "seen", Min: -1e3, Max: 1e3}},
				Actions: bcpace.Actions("-4", "-1", "stop", "1", "4"), Discount: 0.95, RewardMin: -10, RewardMax: 10},
			Hidden: []bcpace.Axis{{Name: "y", Min: -8, Max: 8, Discrete: true}},
		},
		Prior: func(x []float64, rng *rand.Rand) { x[0] = float64(rng.IntN(17) - 8) },
		Start: func(s, _ []float64, _ *rand.Rand) { s[0] = 0 },
		Step: func(next, nextX, s, x []float64, a int, rng *rand.Rand) bcpace.Outcome {
			if a == stay {
				next[0], nextX[0] = s[0], x[0]
				if x[0] == 0 {
					return bcpace.Outcome{Reward: 10, Done: true}
				}
				return bcpace.Outcome{Reward: -10, Done: true}
			}
			nextX[0] = min(max(x[0]+moves[a], -8), 8)
			next[0] = nextX[0] + noise(nextX[0])*rng.NormFloat64()
			return bcpace.Outcome{Reward: -0.5}
		},
		LogDensity: func(_, _ []float64, _ int, next, nextX []float64) float64 {
			σ := noise(nextX[0])
			z := (next[0] - nextX[0]) / σ
			return -z*z/2 - math.Log(σ)
		},
		Rollout: func(_, x []float64, _ *rand.Rand) int {
			switch y := x[0]; {
			case y <= -4:
				return 4
			case y < 0:
				return 3
			case y == 0:
				return stay
			case y >= 4:
				return 0
			}
			return 1
		},
	}
}
