package hidden

import (
	"context"
	"errors"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/rollout"
)

// Policy chooses actions at a state and a belief. Where it is no Forker, it is safe for concurrent use.
type Policy interface {
	// Act returns the id of an action. A policy that plans ends soon after ctx, with an error.
	Act(ctx context.Context, s []float64, b Belief, rng *rand.Rand) (action int, err error)
}

// Planner is a Policy that searches at every decision.
type Planner interface {
	Policy
	// Plan searches from (s, b). If ctx ends, it soon returns the decision so far beside the error of ctx.
	Plan(ctx context.Context, s []float64, b Belief, rng *rand.Rand) (bcpace.Decision, error)
}

// Forker is a Policy with working memory, for one goroutine.
type Forker interface {
	Policy
	// Fork returns the policy for another goroutine.
	Fork() Policy
}

// Episodic is a Policy that remembers what was before in an episode, such as a tree that is kept.
type Episodic interface {
	Policy
	// Begin says that an episode begins.
	Begin()
	// Observe says what followed the action of the last Act, and that the episode goes on.
	Observe(action int, reward float64, next []float64)
}

// fork returns a policy for another goroutine.
func fork(p Policy) Policy {
	if f, ok := p.(Forker); ok {
		return f.Fork()
	}
	return p
}

// PolicyFunc is a function as a Policy. It must be safe for concurrent use.
type PolicyFunc func(s []float64, b Belief, rng *rand.Rand) (action int)

// Act implements Policy.
func (f PolicyFunc) Act(_ context.Context, s []float64, b Belief, rng *rand.Rand) (int, error) {
	return f(s, b, rng), nil
}

// RandomPolicy draws each action with equal probability and, in a Box, each control.
func RandomPolicy(m *Model) Policy {
	return PolicyFunc(func(_ []float64, _ Belief, rng *rand.Rand) int { return m.Spec.DrawAction(rng) })
}

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
