package dp

import (
	"math"

	"bayescpace/bcpace"
)

// FiniteValues are the values Q(s, φ, a) of a Finite model, from SolveFinite.
// They are safe for concurrent use, and Q does not allocate.
type FiniteValues struct {
	// Table holds Q(s, φ, a) at (number of s × latents + φ) × actions + a, in
	// reward units. The number is that of Transitions, for values of those.
	Table []float64
	// Error bounds |Table − Q*|, in reward units. Values are approached from
	// below: as an upper bound in the strict sense, add Error.
	Error float64

	states           numbering
	latents, actions int
}

var _ bcpace.LatentValues = (*FiniteValues)(nil)

// Q returns Q(s, φ, a), or NaN for a state, latent or action that the model does not have.
func (v *FiniteValues) Q(s []float64, latent, action int) float64 {
	i := v.states.index(s)
	if i < 0 || latent >= v.latents || action >= v.actions {
		return math.NaN()
	}
	return v.Table[(i*v.latents+latent)*v.actions+action]
}

func (v *FiniteValues) Beliefs() int { return v.latents }
