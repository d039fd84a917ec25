package bcpace

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
)

// Policy chooses an action from a state and a belief. What it can do beyond that is PolicyAbilities.
type Policy interface {
	// Act returns an action id, or −1 for a state or belief that the policy's model does
	// not have. rng is for policies that randomise; nothing else may be random.
	Act(s []float64, b Belief, rng *rand.Rand) int
}

// Act is Act of can, the abilities of a policy: the action at (state, b), drawn from rng. A policy that takes long ends soon after ctx,
// with its error. If it panics there, with action −1, or returns no action of the model, the error is an *InputError.
func (s *Spec) Act(ctx context.Context, can *PolicyAbilities, state []float64, b Belief, rng *rand.Rand) (action int, err error) {
	action = -1
	defer s.guardPolicy(&err, "Act", state, b)
	action, err = can.Act(ctx, state, b, rng)
	return action, s.judge(action, err, state)
}

// Plan is Plan of can, the abilities of a policy that plans. If that panics or decides for no action of the model, the error is an
// *InputError.
func (s *Spec) Plan(ctx context.Context, can *PolicyAbilities, state []float64, b Belief, rng *rand.Rand) (d Decision, err error) {
	defer s.guardPolicy(&err, "Plan", state, b)
	d, err = can.Plan(ctx, state, b, rng)
	return d, s.judge(d.Action, err, state)
}

// guardPolicy, deferred around a call of a policy, turns a panic in it into an *InputError, or into the fault of a model that the
// policy has asked.
func (s *Spec) guardPolicy(err *error, call string, state []float64, b Belief) {
	switch x := recover().(type) {
	case nil:
	case *ConformanceError:
		*err = fmt.Errorf("%s: %w", policyAt(state), x)
	default:
		cause, _ := x.(error)
		*err = &InputError{Where: policyAt(state), What: call, Got: fmt.Sprintf("a panic (%v)", x), Err: cause,
			Want: fmt.Sprintf("an action: the states of model %s have %d entries, and its beliefs %d", strconv.Quote(s.Name), len(state), len(b))}
	}
}

// judge returns the error of a policy that has returned an action and an error.
func (s *Spec) judge(action int, err error, state []float64) error {
	if err != nil {
		return fmt.Errorf("%s: %w", policyAt(state), err)
	}
	if !s.IsAction(action) {
		return In(policyAt(state)).Bad("action", action, s.WantAction())
	}
	return nil
}

// policyAt is what errors of a policy at a state belong to.
func policyAt(state []float64) string { return fmt.Sprintf("policy at state %v", state) }

// PolicyFunc is a function as a Policy. It must be safe for concurrent use.
type PolicyFunc func(s []float64, b Belief, rng *rand.Rand) int

func (f PolicyFunc) Act(s []float64, b Belief, rng *rand.Rand) int { return f(s, b, rng) }

// RandomPolicy draws each action of m with equal probability and, in a Box, each control.
func RandomPolicy(m Model) Policy {
	spec := m.Spec()
	return PolicyFunc(func(_ []float64, _ Belief, rng *rand.Rand) int { return spec.DrawAction(rng) })
}

// ControlPolicy returns a policy of m, whose first action has a Box, from a function that sets the
// control u at a state and belief. It must be safe for concurrent use. The control played is the place
// next to u, see Spec.ActionID; one outside of the Box is an *InputError of whoever plays the policy.
func ControlPolicy(m Model, control func(u, s []float64, b Belief)) Policy {
	spec := m.Spec()
	return DerivePolicy(RandomPolicy(m), func(_ Policy, can *PolicyAbilities) {
		can.Act = func(_ context.Context, s []float64, b Belief, _ *rand.Rand) (id int, err error) {
			if spec.Actions[0].Box == nil {
				return -1, spec.in().Bad("the first action of a ControlPolicy", strconv.Quote(spec.Actions[0].Name),
					"an action with a Box; a PolicyFunc with Spec.ActionID takes any")
			}
			u := make([]float64, len(spec.Actions[0].Box))
			control(u, s, b)
			return spec.ActionID(0, u)
		}
	})
}
