package online

import (
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/sparse"
	"bayescpace/bcpace/solverkit"
)

// Walk is a simulated episode without a belief: a state and the latent behind it, which the
// model's step moves. It is for one goroutine, and does not allocate in Step.
type Walk struct {
	State, Prev []float64 // where it is, and where it was before the last step
	Latent      int
	Done        bool // the episode has ended

	model bcpace.Model
	mover *sparse.Mover
}

// NewWalk returns a walk in m.
func NewWalk(m bcpace.Model) *Walk {
	spec := m.Spec()
	return &Walk{State: make([]float64, len(spec.Axes)), Prev: make([]float64, len(spec.Axes)), model: m, mover: solverkit.NewMover(m)}
}

// Start puts the walk to a state and latent.
func (w *Walk) Start(s []float64, latent int) {
	copy(w.State, s)
	w.Latent, w.Done = latent, false
}

// Step takes an action and returns its reward.
func (w *Walk) Step(action int, rng *rand.Rand) (reward float64) {
	w.State, w.Prev = w.Prev, w.State
	out := w.model.Step(w.State, w.Prev, w.Latent, action, rng)
	w.Done = out.Done
	w.Latent = w.mover.Draw(w.Prev, action, w.Latent, rng)
	return out.Reward
}
