package solverkit

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/sparse"
)

// NewMover returns what moves the latent of m, or nil, which moves nothing, where it is static.
func NewMover(m bcpace.Model) *sparse.Mover {
	can := bcpace.AbilitiesOf(m)
	if can.LatentKind == bcpace.Static {
		return nil
	}
	return &sparse.Mover{Latents: len(can.Spec.Latents), Next: can.NextLatent, List: can.LatentMoves, Transition: can.LatentTransition}
}
