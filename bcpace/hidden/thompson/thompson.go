// Package thompson is Thompson sampling, also called posterior sampling, for a hidden vector: at each decision it draws
// a vector from the belief, and acts as a controller does that sees it (Thompson 1933; Strens 2000, "A Bayesian framework for
// reinforcement learning"). It plans nothing, and never acts in order to learn.
package thompson

import (
	"context"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// Solver has the parameters. Every zero value is useful.
type Solver struct {
	// Controller is the action at (s, x) of an agent that sees the hidden vector. nil means Model.Rollout. It must be safe for
	// concurrent use.
	Controller func(s, x []float64, rng *rand.Rand) (action int)
}

// Policy returns the policy for m. The error is a *bcpace.InputError for a model that cannot be used, and a
// *bcpace.UnsupportedError without a controller.
func (o Solver) Policy(m *hidden.Model) (hidden.Policy, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if o.Controller == nil {
		o.Controller = m.Rollout
	}
	if o.Controller == nil {
		return nil, &bcpace.UnsupportedError{Model: m.Spec.Name, Algorithm: "thompson", Need: "a controller that sees the hidden vector: Model.Rollout or Solver.Controller"}
	}
	return &policy{m.Spec.Spec, o.Controller, make([]float64, len(m.Spec.Hidden))}, nil
}

// policy acts for a hidden vector that it draws.
type policy struct {
	spec       bcpace.Spec
	controller func(s, x []float64, rng *rand.Rand) int
	x          []float64
}

var _ hidden.Forker = (*policy)(nil)

// Act implements hidden.Policy.
func (p *policy) Act(_ context.Context, s []float64, b hidden.Belief, rng *rand.Rand) (action int, err error) {
	defer p.spec.Guard(&err, "the controller", s, -1, -1)
	b.Draw(p.x, rng)
	return p.controller(s, p.x, rng), nil
}

// Fork implements hidden.Forker.
func (p *policy) Fork() hidden.Policy {
	return &policy{p.spec, p.controller, make([]float64, len(p.x))}
}
