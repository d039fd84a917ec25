package bcpace

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// finiteHorizonOf returns m as a finiteHorizon, or nil if it is none.
func finiteHorizonOf(m Model) *finiteHorizon {
	switch c := m.(type) {
	case *finiteHorizon:
		return c
	case *listedFiniteHorizon:
		return &c.finiteHorizon
	case *numberedFiniteHorizon:
		return &c.finiteHorizon
	}
	return nil
}

// finiteHorizonPolicy is a policy that reads the steps left, behind the state.
type finiteHorizonPolicy struct {
	Policy
	model *finiteHorizon
}

// Act implements Policy. It returns −1, no action, for a state without the steps left.
func (p finiteHorizonPolicy) Act(s []float64, b Belief, rng *rand.Rand) int {
	if len(s) != len(p.model.spec.Axes) {
		return -1
	}
	return p.Policy.Act(s, b, rng)
}

// Fork implements Forker.
func (p finiteHorizonPolicy) Fork() Policy { return finiteHorizonPolicy{Fork(p.Policy), p.model} }

// Within implements LongActor.
func (p finiteHorizonPolicy) Within(ctx context.Context) Policy {
	return finiteHorizonPolicy{Within(ctx, p.Policy), p.model}
}

// FiniteHorizonPolicy returns p, a policy for the states of m, in the form that ForPolicy
// recognises: if m comes from FiniteHorizon or KeepHorizon, as a policy that reads the
// steps left, and otherwise as it is.
func FiniteHorizonPolicy(m Model, p Policy) Policy {
	if c := finiteHorizonOf(m); c != nil {
		return finiteHorizonPolicy{p, c}
	}
	return p
}

// ForPolicy returns the model to play p in for episodes of m. That is m itself, unless p
// is the policy of a run whose model has a Spec.Horizon: such a policy reads the steps
// left, so ForPolicy returns m with the steps left behind the state. Package eval calls
// it; your own loop over a Simulator must call it too.
//
// The error is an *InputError if m has another horizon than the policy's model.
func ForPolicy(m Model, p Policy) (Model, error) {
	c, ok := p.(finiteHorizonPolicy)
	if !ok || m == nil {
		return m, nil
	}
	spec := m.Spec()
	switch {
	case len(spec.Axes) == len(c.model.spec.Axes):
		return m, nil
	case len(spec.Axes) == len(c.model.spec.Axes)-1 && spec.Horizon == c.model.steps:
		return KeepHorizon(m), nil
	}
	return nil, &InputError{Where: "model " + quote(spec.Name), What: "Spec.Horizon, for a policy that reads the steps left", Got: fmt.Sprint(spec.Horizon),
		Want: fmt.Sprintf("%d, or the model of the policy's run", c.model.steps)}
}

// StartFor returns s, a state where an episode may begin, as a state of m, which
// ForPolicy has returned: with all steps left behind it, if the states of m have them.
func StartFor(m Model, s []float64) []float64 {
	if c := finiteHorizonOf(m); c != nil {
		return c.withSteps(s)
	}
	return s
}

// startsWithSteps returns starts with all steps left added to every state that has no
// steps left yet, if the states of m have them.
func startsWithSteps(m Model, starts []StartPoint) []StartPoint {
	c := finiteHorizonOf(m)
	if c == nil || len(starts) == 0 {
		return starts
	}
	list := make([]StartPoint, len(starts))
	for i, p := range starts {
		list[i] = StartPoint{State: c.withSteps(p.State), Belief: p.Belief}
	}
	return list
}

// StartsFor returns starts as points of m: where m counts down the steps left of a
// model, with all of them behind the states of that one. The error is an *InputError
// for what is not a state and belief of m.
func StartsFor(m Model, starts []StartPoint) ([]StartPoint, error) {
	starts = startsWithSteps(m, starts)
	for i, p := range starts {
		if err := p.check(m); err != nil {
			return nil, fmt.Errorf("options: Starts[%d]: %w", i, err)
		}
	}
	return starts, nil
}
