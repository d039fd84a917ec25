package bcpace

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

// Policy chooses an action from a state and a belief.
type Policy interface {
	// Act returns an action id, or −1 for a state or belief that the policy's model does
	// not have. rng is for policies that randomise; nothing else may be random.
	Act(s []float64, b Belief, rng *rand.Rand) int
}

// Act returns the action of p at (state, b), drawn from rng. If p panics there, with action −1, or
// returns no action of the model, the error is an *InputError.
func (s *Spec) Act(p Policy, state []float64, b Belief, rng *rand.Rand) (action int, err error) {
	action = -1
	defer s.guardPolicy(&err, "Act", state, b)
	if action = p.Act(state, b, rng); !s.IsAction(action) {
		if err := refusal(p, state, b); err != nil {
			return action, fmt.Errorf("policy at state %v: %w", state, err)
		}
		return action, s.noAction(action, state)
	}
	return action, nil
}

// guardPolicy, deferred around a call of a policy, turns a panic in it into an *InputError, or into the
// fault of a model that the policy has asked.
func (s *Spec) guardPolicy(err *error, call string, state []float64, b Belief) {
	switch x := recover().(type) {
	case nil:
	case *ConformanceError:
		*err = fmt.Errorf("policy at state %v: %w", state, x)
	default:
		cause, _ := x.(error)
		*err = &InputError{Where: fmt.Sprintf("policy at state %v", state), What: call, Got: fmt.Sprintf("a panic (%v)", x), Err: cause,
			Want: fmt.Sprintf("an action: the states of model %s have %d entries, and its beliefs %d", strconv.Quote(s.Name), len(state), len(b))}
	}
}

// noAction returns the error of a policy that takes no action of the model.
func (s *Spec) noAction(action int, state []float64) error {
	return In(fmt.Sprintf("policy at state %v", state)).Bad("action", action, s.WantAction())
}

// refuser is a Policy that says why it has no action at a state and belief; nil for no reason
// of its own.
type refuser interface {
	Refusal(s []float64, b Belief) error
}

// refusal returns why p has no action at a state and belief, and nil if it does not say.
func refusal(p Policy, s []float64, b Belief) error {
	if r, ok := p.(refuser); ok {
		return r.Refusal(s, b)
	}
	return nil
}

// Forker is a Policy with working memory: Fork returns a copy of it for another goroutine.
type Forker interface {
	Fork() Policy
}

// Fork returns a policy that another goroutine may use beside p.
func Fork(p Policy) Policy {
	if f, ok := p.(Forker); ok {
		return f.Fork()
	}
	return p
}

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
	return &controlPolicy{m.Spec(), control}
}

type controlPolicy struct {
	spec    Spec
	control func(u, s []float64, b Belief)
}

// Act implements Policy. It returns −1 for a control outside of the Box.
func (p *controlPolicy) Act(s []float64, b Belief, _ *rand.Rand) int {
	id, err := p.act(s, b)
	if err != nil {
		return -1
	}
	return id
}

func (p *controlPolicy) Refusal(s []float64, b Belief) error {
	_, err := p.act(s, b)
	return err
}

func (p *controlPolicy) act(s []float64, b Belief) (id int, err error) {
	if p.spec.Actions[0].Box == nil {
		return -1, p.spec.in().Bad("the first action of a ControlPolicy", strconv.Quote(p.spec.Actions[0].Name),
			"an action with a Box; a PolicyFunc with Spec.ActionID takes any")
	}
	u := make([]float64, len(p.spec.Actions[0].Box))
	p.control(u, s, b)
	return p.spec.ActionID(0, u)
}
