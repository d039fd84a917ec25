package bcpace

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
)

// policyOf is a policy for the states and actions of a model that has others than the one
// that it stands for: states with the steps left, or a list of actions in place of boxes.
type policyOf struct {
	Policy
	axes     int
	horizon  *countdown // nil without steps left
	controls *controls  // nil without such a list
}

// Act implements Policy. It returns −1, no action, for a state without the steps left.
func (p policyOf) Act(s []float64, b Belief, rng *rand.Rand) int {
	if len(s) != p.axes {
		return -1
	}
	return p.Policy.Act(s, b, rng)
}

func (p policyOf) Refusal(s []float64, b Belief) error {
	if len(s) != p.axes {
		return nil
	}
	return Refusal(p.Policy, s, b)
}

// Fork implements Forker.
func (p policyOf) Fork() Policy {
	p.Policy = Fork(p.Policy)
	return p
}

// Within implements LongActor.
func (p policyOf) Within(ctx context.Context) Policy {
	p.Policy = Within(ctx, p.Policy)
	return p
}

// PolicyOf returns p, a policy for the states and actions of m, in the form that ForPolicy
// recognises: if m comes from FiniteHorizon, KeepHorizon or Discretised, as a policy of
// such a model, and otherwise as it is. That form hides what else p is: AsPlanner and
// AsEpisodic see it.
func PolicyOf(m Model, p Policy) Policy {
	h, d := countdownOf(m), controlsOf(m)
	if h == nil && d == nil {
		return p
	}
	return policyOf{p, len(m.Spec().Axes), h, d}
}

// ForPolicy returns the model to play p in for episodes of m. That is m itself, unless p
// is the policy of a run whose model has a Spec.Horizon or comes from Discretised. Such a
// policy reads the steps left, so ForPolicy returns m with the steps left behind the state;
// or it takes actions of a list, so ForPolicy returns m with that list. Package eval calls
// it; your own loop over a Simulator must call it too.
//
// The error is an *InputError if m has another horizon than the policy's model.
func ForPolicy(m Model, p Policy) (Model, error) {
	c, ok := p.(policyOf)
	if !ok || m == nil {
		return m, nil
	}
	if spec := m.Spec(); c.controls != nil && spec.HasBox() {
		var err error
		if m, err = Discretised(m, c.controls.points); err != nil {
			return nil, err
		}
	}
	if c.horizon == nil {
		return m, nil
	}
	spec := m.Spec()
	switch {
	case len(spec.Axes) == c.horizon.axes+1:
		return m, nil
	case len(spec.Axes) == c.horizon.axes && spec.Horizon == c.horizon.steps:
		return KeepHorizon(m), nil
	}
	return nil, &InputError{Where: "model " + strconv.Quote(spec.Name), What: "Spec.Horizon, for a policy that reads the steps left", Got: fmt.Sprint(spec.Horizon),
		Want: fmt.Sprintf("%d, or the model of the policy's run", c.horizon.steps)}
}

// IsDiscretised reports whether m comes from Discretised, so that its actions stand for those of
// a Box.
func IsDiscretised(m Model) bool { return controlsOf(m) != nil }

// CountsDown reports whether FiniteHorizon or KeepHorizon has put the steps left into the states
// of m, as their last axis.
func CountsDown(m Model) bool { return countdownOf(m) != nil }

// StartFor returns s, a state where an episode may begin, as a state of m, which
// ForPolicy has returned: with all steps left behind it, if the states of m have them.
func StartFor(m Model, s []float64) []float64 {
	if c := countdownOf(m); c != nil {
		return c.withSteps(s)
	}
	return s
}

// startsWithSteps returns starts with all steps left added to every state that has no
// steps left yet, if the states of m have them.
func startsWithSteps(m Model, starts []StartPoint) []StartPoint {
	c := countdownOf(m)
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
		if err := p.Check(m); err != nil {
			return nil, fmt.Errorf("options: Starts[%d]: %w", i, err)
		}
	}
	return starts, nil
}
