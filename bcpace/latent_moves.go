package bcpace

import (
	"math/rand/v2"

	"bayescpace/bcpace/internal/moves"
)

// SparseLatent is LatentDynamics that lists where the latent may go, for one that has few
// places to go among many latents, as wear that grows by a grade. Beliefs then move in time
// that grows with the lists, not with the square of the number of latents. See
// AsSparseLatent.
type SparseLatent interface {
	LatentDynamics
	// LatentMoves appends to to the latents φ' that LatentTransition gives a probability
	// above 0, each once and in ascending order, and to share those probabilities; where
	// LatentTransition returns false, latent alone with 1. It returns both lists.
	LatentMoves(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64)
}

// AsSparseLatent returns m as a SparseLatent: m itself, or, for a DeterministicLatent, m with
// lists of one latent. It reports false for a model with neither method, and where m has a
// method IsSparse() bool that says no, as a model around another may have.
func AsSparseLatent(m Model) (SparseLatent, bool) {
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

// LatentMover moves the latent of a model by the cheapest of the methods that the model has:
// NextLatent, LatentMoves or LatentTransition. It is for one goroutine, and does not allocate
// once its lists have grown.
type LatentMover struct {
	dynamics LatentDynamics
	function func(s []float64, action, latent int) int // nil unless the latent moves by a function
	sparse   SparseLatent                              // nil unless the model lists the moves

	row   Belief // of LatentTransition
	to    []int32
	share Belief
}

// NewLatentMover returns a LatentMover of m, or nil, which moves nothing, where the latent is
// Static.
func NewLatentMover(m Model) *LatentMover {
	d := changing(m)
	if d == nil {
		return nil
	}
	x := &LatentMover{dynamics: d, row: make(Belief, len(m.Spec().Latents))}
	x.function = nextLatentOf(m)
	x.sparse, _ = AsSparseLatent(m)
	return x
}

// changing returns how the latent of m changes, nil where it is static.
func changing(m Model) LatentDynamics {
	if d, ok := m.(LatentDynamics); ok && d.LatentKind() != Static {
		return d
	}
	return nil
}

// clone returns a LatentMover for another goroutine.
func (x *LatentMover) clone() *LatentMover {
	if x == nil {
		return nil
	}
	return &LatentMover{dynamics: x.dynamics, function: x.function, sparse: x.sparse, row: make(Belief, len(x.row))}
}

// Draw draws φ' ~ P(φ'|latent,s,a). It takes no random number from rng where a function says
// what follows, nor where the latent is known to stay.
func (x *LatentMover) Draw(s []float64, action, latent int, rng *rand.Rand) int {
	switch {
	case x == nil:
		return latent
	case x.function != nil:
		return x.function(s, action, latent)
	case x.sparse != nil:
		x.to, x.share = x.sparse.LatentMoves(x.to[:0], x.share[:0], s, action, latent)
		if len(x.to) == 1 && int(x.to[0]) == latent {
			return latent
		}
		return int(x.to[x.share.Sample(rng)])
	case x.dynamics.LatentTransition(x.row, s, action, latent):
		return x.row.Sample(rng)
	}
	return latent
}

// List is SparseLatent.LatentMoves for any model whose latent moves.
func (x *LatentMover) List(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64) {
	switch {
	case x.sparse != nil:
		return x.sparse.LatentMoves(to, share, s, action, latent)
	case x.dynamics.LatentTransition(x.row, s, action, latent):
		for φ, p := range x.row {
			if p != 0 {
				to, share = append(to, int32(φ)), append(share, p)
			}
		}
		return to, share
	}
	return append(to, int32(latent)), append(share, 1)
}

// listRows makes rows those of (s, action) for so many latents, empty where b(φ) is 0; a nil b
// wants all. It reports whether any latent changes.
func (x *LatentMover) listRows(rows *moves.Rows, s []float64, action, latents int, b Belief) (changes bool) {
	rows.From, rows.To, rows.Share = append(rows.From[:0], 0), rows.To[:0], rows.Share[:0]
	for φ := range latents {
		if b == nil || b[φ] != 0 {
			k := len(rows.To)
			rows.To, rows.Share = x.List(rows.To, rows.Share, s, action, φ)
			changes = changes || len(rows.To) != k+1 || int(rows.To[k]) != φ || rows.Share[k] != 1
		}
		rows.From = append(rows.From, len(rows.To))
	}
	return changes
}
