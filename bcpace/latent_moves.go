package bcpace

import "bayescpace/bcpace/internal/sparse"

// SparseLatent is LatentDynamics that lists where the latent may go, for one that has few places to go
// among many latents. Beliefs then move in time that grows with the lists.
type SparseLatent interface {
	LatentDynamics
	// LatentMoves appends to to the latents φ' that LatentTransition gives a probability
	// above 0, each once and in ascending order, and to share those probabilities; where
	// LatentTransition returns false, latent alone with 1. It returns both lists.
	LatentMoves(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64)
}

// asSparseLatent returns m as a SparseLatent: m itself, or, for a DeterministicLatent, m with
// lists of one latent. It reports false for a model with neither method, and where m has a
// method IsSparse() bool that says no, as a model around another may have.
func asSparseLatent(m Model) (SparseLatent, bool) {
	if f, ok := m.(DeterministicLatent); ok {
		return mapped{f}, true
	}
	l, ok := m.(SparseLatent)
	if !ok {
		return nil, false
	}
	if c, ok := m.(interface{ IsSparse() bool }); ok && !c.IsSparse() {
		return nil, false
	}
	return l, true
}

// mapped lists the one latent that follows.
type mapped struct{ DeterministicLatent }

// LatentMoves implements SparseLatent.
func (m mapped) LatentMoves(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64) {
	return append(to, int32(m.NextLatent(s, action, latent))), append(share, 1)
}

// newMover returns what moves the latent of m, nil where it is static.
func newMover(m Model) *sparse.Mover {
	d, ok := m.(LatentDynamics)
	if !ok || d.LatentKind() == Static {
		return nil
	}
	x := &sparse.Mover{Latents: len(m.Spec().Latents), Next: nextLatentOf(m), Transition: d.LatentTransition}
	if l, ok := asSparseLatent(m); ok {
		x.List = l.LatentMoves
	}
	return x
}
