package bcpace

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// clockOf returns the countdown that m is, or nil.
func clockOf(m Model) *countdown {
	switch c := m.(type) {
	case *countdown:
		return c
	case *listedCountdown:
		return &c.countdown
	case *finiteCountdown:
		return &c.countdown
	}
	return nil
}

// clockedPolicy is a policy that reads the steps left behind the state.
type clockedPolicy struct {
	Policy
	clock *countdown
}

// Act implements Policy. A state without the steps left has no action, which
// -1 says.
func (p clockedPolicy) Act(s []float64, b Belief, rng *rand.Rand) int {
	if len(s) != len(p.clock.spec.Axes) {
		return -1
	}
	return p.Policy.Act(s, b, rng)
}

// Fork implements Forker.
func (p clockedPolicy) Fork() Policy { return clockedPolicy{Fork(p.Policy), p.clock} }

// Within implements LongActor.
func (p clockedPolicy) Within(ctx context.Context) Policy {
	return clockedPolicy{Within(ctx, p.Policy), p.clock}
}

// ClockedPolicy returns p, a policy of the states of m, as ForPolicy knows it: where m
// counts down the steps left, a policy of a model with a horizon.
func ClockedPolicy(m Model, p Policy) Policy {
	if c := clockOf(m); c != nil {
		return clockedPolicy{p, c}
	}
	return p
}

// ForPolicy returns the model in which p acts in episodes of m. That is m itself,
// but for the policy of a run whose model has a Spec.Horizon: such a policy reads
// the steps left, and what ForPolicy returns is m with them behind the state.
// Package eval asks it; a loop of one's own over a Simulator must do so too.
//
// The error is an *InputError where m has another horizon than the policy was made
// for.
func ForPolicy(m Model, p Policy) (Model, error) {
	c, ok := p.(clockedPolicy)
	if !ok || m == nil {
		return m, nil
	}
	spec := m.Spec()
	switch {
	case len(spec.Axes) == len(c.clock.spec.Axes):
		return m, nil
	case len(spec.Axes) == len(c.clock.spec.Axes)-1 && spec.Horizon == c.clock.steps:
		return KeepHorizon(m), nil
	}
	return nil, &InputError{Where: "model " + quote(spec.Name), What: "Spec.Horizon, for a policy that reads the steps left", Got: fmt.Sprint(spec.Horizon),
		Want: fmt.Sprintf("%d, or the model of the policy's run", c.clock.steps)}
}

// StartFor returns s, a state of m where an episode may begin, as a state of
// ForPolicy's model: with all steps left behind it, where that has them.
func StartFor(m Model, s []float64) []float64 {
	if c := clockOf(m); c != nil {
		return c.clocked(s)
	}
	return s
}

// clockedStarts returns starts with all steps left behind the states that are
// those of the model which m counts down.
func clockedStarts(m Model, starts []StartPoint) []StartPoint {
	c := clockOf(m)
	if c == nil || len(starts) == 0 {
		return starts
	}
	list := make([]StartPoint, len(starts))
	for i, p := range starts {
		list[i] = StartPoint{State: c.clocked(p.State), Belief: p.Belief}
	}
	return list
}

// StartsFor returns starts as points of m: where m counts down the steps left of a
// model, with all of them behind the states of that one. The error is an *InputError
// for what is no state and belief of m.
func StartsFor(m Model, starts []StartPoint) ([]StartPoint, error) {
	starts = clockedStarts(m, starts)
	for i, p := range starts {
		if err := p.check(m); err != nil {
			return nil, fmt.Errorf("options: Starts[%d]: %w", i, err)
		}
	}
	return starts, nil
}
