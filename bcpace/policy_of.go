package bcpace

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// policyOf is a policy for the states and actions of a model that has others than the one
// that it stands for: states with the steps left, or a list of actions in place of boxes.
type policyOf struct {
	Policy
	axes   int
	steps  int // left at the start, 0 where the states do not have them
	points int // on each axis of a Box, 0 without such a list
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
	return refusal(p.Policy, s, b)
}

// Unwrap returns the policy behind p.
func (p policyOf) Unwrap() Policy { return p.Policy }

// Fork implements Forker.
func (p policyOf) Fork() Policy {
	p.Policy = Fork(p.Policy)
	return p
}

// Within is that of the policy behind p, if it has one (solverkit.LongActor).
func (p policyOf) Within(ctx context.Context) Policy {
	if l, ok := p.Policy.(interface{ Within(context.Context) Policy }); ok {
		p.Policy = l.Within(ctx)
	}
	return p
}

// PolicyOf returns p, a policy for the states and actions of m, in the form that ForPolicy recognises
// if m comes from FiniteHorizon, KeepHorizon or Discretised. That form hides what else p is: AsPlanner
// and solverkit.AsEpisodic see it.
func PolicyOf(m Model, p Policy) Policy {
	d := asDerived(m)
	if d == nil || d.can.StepsLeft == 0 && d.can.Behind == nil {
		return p
	}
	return policyOf{p, len(d.can.Spec.Axes), d.can.StepsLeft, d.can.Points}
}

// ForPolicy returns the model to play p in for episodes of m: m itself, or, if p is a policy of
// PolicyOf that reads the steps left or takes actions of a list, m with the steps left behind the
// state or with that list. Package eval calls it; your own loop over a Simulator must call it too. The
// error is an *InputError if m has another horizon than the policy's model.
func ForPolicy(m Model, p Policy) (Model, error) {
	if x, ok := p.(interface{ PlayedIn(Model) (Model, error) }); ok && m != nil {
		return x.PlayedIn(m)
	}
	return m, nil
}

// PlayedIn is ForPolicy. A policy that asks another one, such as that of solverkit.Asked, has it too.
func (p policyOf) PlayedIn(m Model) (Model, error) {
	if spec := m.Spec(); p.points > 0 && spec.HasBox() {
		var err error
		if m, err = Discretised(m, p.points); err != nil {
			return nil, err
		}
	}
	spec := m.Spec()
	switch {
	case p.steps == 0 || len(spec.Axes) == p.axes:
		return m, nil
	case len(spec.Axes) == p.axes-1 && spec.Horizon == p.steps && AbilitiesOf(m).CutsEpisodes():
		return KeepHorizon(m), nil
	}
	return nil, spec.in().Bad("Spec.Horizon, for a policy that reads the steps left", spec.Horizon, fmt.Sprintf("%d, or the model of the policy's run", p.steps))
}
