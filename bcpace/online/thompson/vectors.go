package thompson

import (
	"context"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// Policy returns the policy for a hidden vector: at each decision it draws a vector from the belief, and acts as Model.Rollout does, which sees
// it. It plans nothing, and never acts in order to learn. The error is a *bcpace.InputError for a model or parameters that cannot be used,
// and a *bcpace.UnsupportedError without a Rollout.
func (s Solver) Policy(m *hidden.Model) (hidden.Policy, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if s != (Solver{}) {
		return nil, bcpace.In("options").Bad("Every, ControlPoints, Sweeps", s, "0 for a hidden vector, which is drawn at each decision")
	}
	if m.Rollout == nil {
		return nil, &bcpace.UnsupportedError{Model: m.Spec.Name, Algorithm: s.Name(), Need: "a controller that sees the hidden vector: Model.Rollout"}
	}
	return &vectorPolicy{m, make([]float64, len(m.Spec.Hidden))}, nil
}

// vectorPolicy acts for a hidden vector that it draws.
type vectorPolicy struct {
	model *hidden.Model
	x     []float64
}

var _ hidden.Forker = (*vectorPolicy)(nil)

// Act implements hidden.Policy.
func (p *vectorPolicy) Act(_ context.Context, s []float64, b hidden.Belief, rng *rand.Rand) (action int, err error) {
	defer p.model.Spec.Guard(&err, "the controller", s, -1, -1)
	b.Draw(p.x, rng)
	return p.model.Rollout(s, p.x, rng), nil
}

// Fork implements hidden.Forker.
func (p *vectorPolicy) Fork() hidden.Policy {
	return &vectorPolicy{p.model, make([]float64, len(p.x))}
}
