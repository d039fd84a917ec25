package hidden

import (
	"math/rand/v2"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/sparse"
	"bayescpace/bcpace/solverkit"
)

// FromModel returns m, whose latents are a list, as a model whose hidden vector has one whole number, that of the latent, so
// that planners for a hidden vector play it. Its latent may move. If m has a horizon, the states have the
// steps left, as bcpace.KeepHorizon puts them there.
//
// Bounds and Rollout are left to the caller. Where the values of the latents are known, as from dp.SolveLatent, the
// largest value of an action bounds that of a state and latent from above, and the action that has it plays on well. Where there
// are few states and latents and both are left out, planners make a table of what they can do without seeing the latent, which is
// better where the latent has to be found out first, as in envs.Tiger.
// The error is that of bcpace.Validate.
func FromModel(m bcpace.Model) (*Model, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	m = bcpace.KeepHorizon(m)
	spec := m.Spec()
	latents := spec.Latents
	prior := make(bcpace.Belief, len(latents))
	m.Prior(prior)
	spec.Latents = nil
	h := &Model{
		Spec:   Spec{Spec: spec, Hidden: []bcpace.Axis{{Name: "latent", Max: float64(len(latents) - 1), Labels: latents}}},
		Prior:  func(x []float64, rng *rand.Rand) { x[0] = float64(prior.Sample(rng)) },
		Start:  func(s, x []float64, rng *rand.Rand) { m.Start(s, int(x[0]), rng) },
		Step:   stepOf(m),
		Listed: m,
		LogDensity: func(s, x []float64, action int, next, _ []float64) float64 {
			return m.LogLikelihood(s, action, next, int(x[0]))
		},
	}
	if told := bcpace.AbilitiesOf(m).StartLogLikelihood; told != nil {
		h.StartLogDensity = func(s, x []float64) float64 { return told(s, int(x[0])) }
	}
	return h, h.Validate()
}

// stepOf returns the Step of FromModel.
func stepOf(m bcpace.Model) func(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
	if solverkit.NewMover(m) == nil {
		return func(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
			nextX[0] = x[0]
			return m.Step(next, s, int(x[0]), action, rng)
		}
	}
	movers := sync.Pool{New: func() any { return solverkit.NewMover(m) }}
	return func(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
		latent := int(x[0])
		out := m.Step(next, s, latent, action, rng)
		mover := movers.Get().(*sparse.Mover)
		nextX[0] = float64(mover.Draw(s, action, latent, rng))
		movers.Put(mover)
		return out
	}
}
