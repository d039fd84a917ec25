package bcpace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/sparse"
)

// Belief is a distribution over the latents: b[φ] ≥ 0, Σ b = 1.
type Belief []float64

// simplexTolerance is how far the sum of a belief may be from 1.
const simplexTolerance = 1e-9

// Uniform returns the belief that gives each of n latents the same weight.
func Uniform(n int) Belief {
	return slices.Repeat(Belief{1 / float64(n)}, n)
}

// OneHot returns e_φ: certainty of one latent among n.
func OneHot(n, latent int) Belief {
	b := make(Belief, n)
	b[latent] = 1
	return b
}

// L1 returns ‖b − c‖₁, in [0, 2].
func (b Belief) L1(c Belief) float64 {
	d := 0.0
	for i, x := range b {
		d += math.Abs(x - c[i])
	}
	return d
}

// NearestOneHot returns the latent φ whose one-hot vector is closest to b, the first of equals, and ‖b
// − e_φ‖₁ = 2(1 − b(φ)).
func (b Belief) NearestOneHot() (latent int, distance float64) {
	for i, x := range b {
		if x > b[latent] {
			latent = i
		}
	}
	// Summing the other weights is exact near a vertex, where 1 − b(φ) is not.
	for i, x := range b {
		if i != latent {
			distance += 2 * x
		}
	}
	return latent, distance
}

// Dot returns Σ_φ b(φ)·v(φ). Where b(φ) is 0, it does not read v(φ).
func (b Belief) Dot(v []float64) float64 {
	sum := 0.0
	for i, p := range b {
		if p > 0 {
			sum += p * v[i]
		}
	}
	return sum
}

// Sample draws a latent from b.
func (b Belief) Sample(rng *rand.Rand) int { return sparse.Sample(b, rng) }

// SampleSimplex fills b with a point drawn uniformly from the simplex.
func (b Belief) SampleSimplex(rng *rand.Rand) {
	sum := 0.0
	for i := range b {
		b[i] = rng.ExpFloat64()
		sum += b[i]
	}
	for i := range b {
		b[i] /= sum
	}
}

// isDistribution reports whether Validate has no error.
func (b Belief) isDistribution() bool {
	sum := 0.0
	for _, x := range b {
		if !(x >= 0) { // also not a number
			return false
		}
		sum += x
	}
	return math.Abs(sum-1) <= simplexTolerance
}

// Validate returns an *InputError unless b is a distribution.
func (b Belief) Validate() error {
	sum := 0.0
	for i, x := range b {
		if !num.Finite(x) || x < 0 {
			return In("belief").Bad(fmt.Sprintf("entry %d", i), x, "a probability in [0, 1]")
		}
		sum += x
	}
	if math.Abs(sum-1) > simplexTolerance {
		return In("belief").Bad(fmt.Sprintf("the sum of %.4g", []float64(b)), sum, "1")
	}
	return nil
}
