package dp

import (
	"slices"

	"bayescpace/bcpace/internal/num"
)

// BestForOne returns the policies that are optimal where one latent is known to be the true
// one, as actions by the number of the state, without those that take one action everywhere
// and without repeats. table holds the fast informed bound or another VectorTable of so many
// states, actions and latents. Transitions.Evaluate returns what they earn under every latent.
func BestForOne(table []float64, states, actions, latents int) (policies [][]int32) {
	for φ := range latents {
		policy, blind := make([]int32, states), true
		for s := range policy {
			_, best := num.Largest(actions, func(a int) float64 { return table[(s*actions+a)*latents+φ] })
			policy[s] = int32(best)
			blind = blind && policy[s] == policy[0]
		}
		if !blind && !slices.ContainsFunc(policies, func(p []int32) bool { return slices.Equal(p, policy) }) {
			policies = append(policies, policy)
		}
	}
	return policies
}
