package randmodel

import (
	"fmt"
	"math"

	"bayescpace/bcpace"
)

// SmallGoal is a room of one to four axes from 0 to 1 with a goal of the given half width that
// pays 10, ends the episode and lies between the points of a coarse grid. Steps of 0.06 lead
// along an axis, or of 0.04 where the latent is slow.
func SmallGoal(axes int, half float64) bcpace.Enumerator {
	at := []float64{0.73, 0.37, 0.57, 0.61}[:axes]
	inGoal := func(x []float64) bool {
		for i := range x {
			if math.Abs(x[i]-at[i]) > half {
				return false
			}
		}
		return true
	}
	g := bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "small goal", Latents: []string{"steady", "slow"}, Discount: 0.97, RewardMax: 10},
		Mean: func(mean, s []float64, latent, action int) {
			copy(mean, s)
			mean[action/2] += (0.06 - 0.02*float64(latent)) * float64(1-2*(action%2))
		},
		Reward: func(_ []float64, _, _ int, next []float64) float64 {
			if inGoal(next) {
				return 10
			}
			return 0
		},
		Ends: inGoal,
	}
	start := make([]float64, axes)
	for i := range axes {
		g.Spec.Axes = append(g.Spec.Axes, bcpace.Axis{Name: fmt.Sprint("x", i), Max: 1})
		g.Spec.Actions = append(g.Spec.Actions, bcpace.Actions(fmt.Sprint("up ", i), fmt.Sprint("down ", i))...)
		g.Sigma, start[i] = append(g.Sigma, 0.005), 0.13
	}
	g.Starts = [][]float64{start}
	m, err := bcpace.FromGaussian(g)
	if err != nil {
		panic(err)
	}
	return m
}
