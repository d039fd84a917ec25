package vectors

import (
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// Guarded returns m with a Step, a LogDensity and a Rollout that panic with a *bcpace.ConformanceError where they return what no
// reward, no density and no action is. Plan returns that error.
func Guarded(m *hidden.Model) *hidden.Model {
	g := *m
	g.Step = func(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
		out := m.Step(next, nextX, s, x, action, rng)
		if !m.Spec.AllowsReward(out.Reward) {
			if err := m.Spec.CheckOutcome(out, next, s, action, -1); err != nil {
				panic(err)
			}
		}
		return out
	}
	if m.LogDensity != nil {
		g.LogDensity = func(s, x []float64, action int, next, nextX []float64) float64 {
			l, err := m.Weigh(s, x, action, next, nextX)
			if err != nil {
				panic(err)
			}
			return l
		}
	}
	if m.Rollout != nil {
		g.Rollout = func(s, x []float64, rng *rand.Rand) int {
			action := m.Rollout(s, x, rng)
			if !m.Spec.IsAction(action) {
				panic(m.Spec.Fault(s, -1, -1, "Rollout for hidden vector %v is action %d, want %s", x, action, m.Spec.WantAction()))
			}
			return action
		}
	}
	return &g
}
