package nb

import (
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// twoDoors is a model small enough to explore in a test: look, then open one
// of two doors.
type twoDoors struct{}

func (twoDoors) Spec() bcpace.Spec {
	return bcpace.Spec{
		Name: "two doors", Params: []bcpace.Param{{Key: "reward", Value: "10"}},
		Axes:    []bcpace.Axis{{Name: "seen", Min: 0, Max: 2, Discrete: true, Labels: []string{"nothing", "left", "right"}}},
		Actions: bcpace.Actions("look", "left", "right"), Latents: []string{"left", "right"},
		Discount: 0.9, RewardMin: -10, RewardMax: 10,
	}
}

func (twoDoors) Prior(b bcpace.Belief)                  { b[0], b[1] = 0.5, 0.5 }
func (twoDoors) Start(s []float64, _ int, _ *rand.Rand) { s[0] = 0 }

func (twoDoors) Step(next, _ []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	if action == 0 {
		seen := latent
		if rng.Float64() > 0.8 {
			seen = 1 - latent
		}
		next[0] = float64(1 + seen)
		return bcpace.Outcome{Reward: -1}
	}
	next[0] = 0
	if action-1 == latent {
		return bcpace.Outcome{Reward: 10, Done: true}
	}
	return bcpace.Outcome{Reward: -10, Done: true}
}

func (twoDoors) LogLikelihood(_ []float64, action int, next []float64, latent int) float64 {
	if action > 0 {
		return 0
	}
	if int(next[0])-1 == latent {
		return math.Log(0.8)
	}
	return math.Log(0.2)
}
