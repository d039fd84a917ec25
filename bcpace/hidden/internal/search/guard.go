package search

import (
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// Guarded returns m with a Step and a LogDensity that panic with a *bcpace.ConformanceError where they return what no
// reward and no density is. Plan returns that error.
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
	return &g
}
