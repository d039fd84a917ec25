package solverkit

import (
	"math"
	"slices"

	"bayescpace/bcpace"
)

// ListedLikelihood returns the LogLikelihood of a model with so many axes and latents that lists what follows.
func ListedLikelihood(axes, latents int, successors func(z *bcpace.Successors, s []float64, action int)) func(s []float64, action int, next []float64, latent int) float64 {
	return func(s []float64, action int, next []float64, latent int) float64 {
		var z bcpace.Successors
		z.Reset(axes, latents)
		successors(&z, s, action)
		sum := 0.0
		for i := range z.Len() {
			if to, prob, _ := z.Row(i); slices.Equal(to, next) {
				sum += prob[latent]
			}
		}
		return math.Log(sum)
	}
}
