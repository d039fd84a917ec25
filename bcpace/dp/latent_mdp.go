package dp

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
)

// latentMDP is a set of latent MDPs on numbered points, ready for value iteration.
// Its states are the hyper-states: node n is (point n/latents, latent n%latents).
// Successors that end the episode add to the reward and nothing else.
type latentMDP struct {
	mdp.MDP
	points, latents int
	static          bool // the latent stays as it is
}

// points are what carries values: the states of a finite model or the points of a
// grid.
type points interface {
	// Len returns the number of points.
	Len() int
	// At fills s with the state at point i.
	At(s []float64, i int)
	// Interpolate appends to points and weights those whose weighted values make the
	// value at s, each once: weights are not negative and sum to 1. It reports false
	// where s is outside.
	Interpolate(points []int32, weights, s []float64) ([]int32, []float64, bool)
}

// blankLatentMDP returns the process of a model on so many points, without rows.
func blankLatentMDP(spec bcpace.Spec, points int) *latentMDP {
	return &latentMDP{MDP: mdp.MDP{Actions: len(spec.Actions), Discount: spec.Discount, Rate: spec.Rate()}, points: points, latents: len(spec.Latents)}
}
