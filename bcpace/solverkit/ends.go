package solverkit

import (
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/ends"
	"bayescpace/bcpace/internal/sparse"
)

// EndsWorld returns m for package ends.
func EndsWorld(m bcpace.Model) *ends.PlayedModel {
	can := bcpace.AbilitiesOf(m)
	prior := make(bcpace.Belief, len(can.Spec.Latents))
	can.Prior(prior)
	w := &ends.PlayedModel{Prior: prior, Axes: len(can.Spec.Axes), Horizon: can.Spec.Horizon, Action: can.Spec.DrawAction, Start: can.Start, Mover: NewMover(m),
		Continuous: slices.ContainsFunc(can.Spec.Axes, func(a bcpace.Axis) bool { return !a.Whole() }),
		Step: func(next, s []float64, latent, action int, rng *rand.Rand) (done, ok bool) {
			out := can.Step(next, s, latent, action, rng)
			return out.Done, can.Spec.CheckOutcome(out, next, s, action, latent) == nil
		},
		StartLog: can.StartLogLikelihood, Log: can.LogLikelihood}
	if can.Spec.Estimated != "" {
		w.Log = nil
	}
	return w
}

// NewMover returns what moves the latent of m, or nil, which moves nothing, where it is static.
func NewMover(m bcpace.Model) *sparse.Mover {
	can := bcpace.AbilitiesOf(m)
	if can.LatentKind == bcpace.Static {
		return nil
	}
	return &sparse.Mover{Latents: len(can.Spec.Latents), Next: can.NextLatent, List: can.LatentMoves, Transition: can.LatentTransition}
}
