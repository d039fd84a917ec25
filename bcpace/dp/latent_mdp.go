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

// blankLatentMDP returns the process of a model on so many points, without rows.
func blankLatentMDP(spec bcpace.Spec, points int) *latentMDP {
	return &latentMDP{MDP: mdp.MDP{Actions: len(spec.Actions), Discount: spec.Discount, Rate: spec.Rate()}, points: points, latents: len(spec.Latents)}
}
