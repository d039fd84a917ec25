package hidden

import (
	"context"
	"errors"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/rollout"
)

// Agent plays a policy with the belief of a filter. It is told the states that follow its actions. It is for one goroutine.
type Agent struct {
	model    *Model
	filter   Filter
	policy   Policy
	planner  Planner  // the policy, if it is one
	episodic Episodic // the policy, if it is one
	belief   Belief
	s        []float64
}

var _ rollout.Agent = (*Agent)(nil)

// NewAgent returns an agent of m with a policy, forked, and the belief of a filter, which is nil for DefaultFilter.
func NewAgent(m *Model, p Policy, f Filter) *Agent {
	if p = fork(p); f == nil {
		f = DefaultFilter(m)
	}
	a := &Agent{model: m, filter: f, policy: p, s: make([]float64, len(m.Spec.Axes))}
	a.planner, _ = p.(Planner)
	a.episodic, _ = p.(Episodic)
	return a
}

// Belief returns what is believed of the hidden vector now, a view. It is nil before Begin.
func (a *Agent) Belief() Belief { return a.belief }

// Begin implements rollout.Agent.
func (a *Agent) Begin(seen []float64, rng *rand.Rand) (surprised bool, err error) {
	defer a.model.Spec.Guard(&err, "a function of the model", a.s, -1, -1)
	copy(a.s, seen)
	a.belief, err = a.filter.Begin(a.model, a.s, rng)
	if surprised, err = surprise(err); err == nil && a.episodic != nil {
		a.episodic.Begin()
	}
	return surprised, err
}

// Decide implements rollout.Agent.
func (a *Agent) Decide(ctx context.Context, d *bcpace.Decision, rng *rand.Rand) (err error) {
	defer a.model.Spec.Guard(&err, "a function of the model", a.s, -1, -1)
	if a.planner != nil {
		*d, err = a.planner.Plan(ctx, a.s, a.belief, rng)
	} else {
		d.Action, err = a.policy.Act(ctx, a.s, a.belief, rng)
	}
	if err == nil && !a.model.Spec.IsAction(d.Action) {
		err = a.model.in().Bad("the action of the policy", d.Action, a.model.Spec.WantAction())
	}
	return err
}

// Observe implements rollout.Agent.
func (a *Agent) Observe(action int, reward float64, seen []float64, rng *rand.Rand) (surprised bool, err error) {
	defer a.model.Spec.Guard(&err, "a function of the model", a.s, action, -1)
	if surprised, err = surprise(a.belief.Update(a.s, action, seen, rng)); err != nil {
		return surprised, err
	}
	copy(a.s, seen)
	if a.episodic != nil {
		a.episodic.Observe(action, reward, a.s)
	}
	return surprised, nil
}

// surprise tells an *ImpossibleError of a belief from any other error.
func surprise(err error) (surprised bool, other error) {
	if errors.As(err, new(*ImpossibleError)) {
		return true, nil
	}
	return false, err
}
