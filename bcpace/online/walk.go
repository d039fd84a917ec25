package online

import (
	"math/rand/v2"

	"bayescpace/bcpace"
)

// Walk is a simulated episode without a belief: a state and the latent behind it, which the
// model's step moves. It is for one goroutine, and does not allocate in Step.
type Walk struct {
	State, Prev []float64 // where it is, and where it was before the last step
	Latent      int
	Done        bool // the episode has ended

	model    bcpace.Model
	dynamics bcpace.LatentDynamics      // nil for a static latent
	function bcpace.DeterministicLatent // nil unless the latent moves by a function
	row      bcpace.Belief
}

// NewWalk returns a walk in m.
func NewWalk(m bcpace.Model) *Walk {
	spec := m.Spec()
	w := &Walk{State: make([]float64, len(spec.Axes)), Prev: make([]float64, len(spec.Axes)), model: m, row: make(bcpace.Belief, len(spec.Latents))}
	if d, ok := m.(bcpace.LatentDynamics); ok && d.LatentKind() != bcpace.Static {
		w.dynamics = d
		w.function, _ = m.(bcpace.DeterministicLatent)
	}
	return w
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
	switch {
	case w.dynamics == nil:
	case w.function != nil:
		w.Latent = w.function.NextLatent(w.Prev, action, w.Latent)
	case w.dynamics.LatentTransition(w.row, w.Prev, action, w.Latent):
		w.Latent = w.row.Sample(rng)
	}
	return out.Reward
}
