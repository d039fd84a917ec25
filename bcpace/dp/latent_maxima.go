package dp

import "bayescpace/bcpace"

// LatentMaxima are LatentValues that find the largest Q(s, φ, a) of all actions faster than by
// asking for each.
type LatentMaxima interface {
	bcpace.LatentValues
	Max(s []float64, latent int) float64
}
