package discretise

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/sparse"
)

// movesOfStates has the moves of the latents in each state of a model: row (state·actions + action)·latents + latent.
type movesOfStates struct {
	states           bcpace.Finite
	actions, latents int
	rows             sparse.MoveRows
}

// row returns where a latent moves.
func (m *movesOfStates) row(s []float64, action, latent int) (to []int32, share []float64) {
	return m.rows.Row((m.states.StateIndex(s)*m.actions+action)*m.latents + latent)
}

// of is bcpace.SparseLatent.LatentMoves.
func (m *movesOfStates) of(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64) {
	t, p := m.row(s, action, latent)
	return append(to, t...), append(share, p...)
}

// transition is bcpace.LatentDynamics.LatentTransition.
func (m *movesOfStates) transition(p []float64, s []float64, action, latent int) bool {
	clear(p)
	to, share := m.row(s, action, latent)
	for i, k := range to {
		p[k] = share[i]
	}
	return true
}
