package bcpace

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// PolicyOf returns p, a policy for the states and actions of m, in the form that ForPolicy recognises
// if m comes from FiniteHorizon, KeepHorizon or Discretised. It takes no action in a state without the steps left.
func PolicyOf(m Model, p Policy) Policy {
	d := asDerived(m)
	if d == nil || d.can.StepsLeft == 0 && d.can.Behind == nil {
		return p
	}
	of := playedIn{len(d.can.Spec.Axes), d.can.StepsLeft, d.can.Points}
	return DerivePolicy(p, func(p Policy, can *PolicyAbilities) {
		can.PlayedIn, can.Inside = of.model, PolicyAbilitiesOf(p).Inside
		act := can.Act
		can.Act = func(ctx context.Context, s []float64, b Belief, rng *rand.Rand) (int, error) {
			if len(s) != of.axes {
				return -1, nil
			}
			return act(ctx, s, b, rng)
		}
	})
}

// ForPolicy returns the model to play p in for episodes of m: m itself, or, if p is a policy of
// PolicyOf that reads the steps left or takes actions of a list, m with the steps left behind the
// state or with that list. Package eval calls it; your own loop over a Simulator must call it too. The
// error is an *InputError if m has another horizon than the policy's model.
func ForPolicy(m Model, p Policy) (Model, error) {
	if can := PolicyAbilitiesOf(p); can.PlayedIn != nil && m != nil {
		return can.PlayedIn(m)
	}
	return m, nil
}

// playedIn says for which states and actions a policy is that PolicyOf has made.
type playedIn struct {
	axes, steps, points int // steps left at the start, 0 where the states do not have them; points on each axis of a Box, 0 without a list
}

// model is ForPolicy.
func (p playedIn) model(m Model) (Model, error) {
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
