package metric

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/knn"
)

// NearOneHot reports whether some one-hot vector is within radius of b in L1, and which
// one is the closest. A distance that is radius in decimals is within it, however it is
// rounded: the tolerance is that of a distance of known queries, see Run.Radius.
func NearOneHot(b bcpace.Belief, radius float64) (latent int, near bool) {
	latent, d := b.NearestOneHot()
	return latent, d <= radius || radius >= 0 && d <= radius+knn.Rounding(1, radius, len(b))
}
