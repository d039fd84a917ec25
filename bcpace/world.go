package bcpace

import (
	"fmt"
	"slices"
	"strconv"
)

// Enter puts the agent into another world: states and rewards are those of world from now on, while
// its belief stays that of the model. Latent is drawn from the prior of the world, whatever belief an
// episode begins with. If the world does what the model holds impossible, Reset and Step return an
// *ImpossibleObservationError, unless Lenient. The error is an *InputError for a world with other
// axes, actions, discount or horizon, or that of a model that is not valid.
func (x *Simulator) Enter(world Model) error {
	for _, m := range []Model{x.model, world} {
		if err := Validate(m); err != nil {
			return err
		}
	}
	spec := world.Spec()
	if err := x.spec.sameProblem(spec); err != nil {
		return err
	}
	x.world, x.worldSpec, x.mover = world, spec, newMover(world)
	x.prior = make(Belief, len(spec.Latents))
	return nil
}

// sameProblem returns an *InputError unless a policy for s can act in the world of that
// description, for the same return.
func (s *Spec) sameProblem(world Spec) error {
	bad := func(what string, got, want any) error {
		return In("world "+strconv.Quote(world.Name)).Bad(what, got, fmt.Sprintf("%v, as in model %s", want, strconv.Quote(s.Name)))
	}
	switch {
	case len(world.Axes) != len(s.Axes):
		return bad("the number of axes", len(world.Axes), len(s.Axes))
	case len(world.Actions) != len(s.Actions):
		return bad("the number of actions", len(world.Actions), len(s.Actions))
	case world.Discount != s.Discount:
		return bad("Spec.Discount", world.Discount, s.Discount)
	case world.Horizon != s.Horizon:
		return bad("Spec.Horizon", world.Horizon, s.Horizon)
	}
	for i, a := range s.Axes {
		switch b := world.Axes[i]; {
		case b.Name != a.Name:
			return bad(fmt.Sprintf("the name of axis %d", i), strconv.Quote(b.Name), strconv.Quote(a.Name))
		case b.Min != a.Min || b.Max != a.Max:
			return bad("Min, Max of axis "+strconv.Quote(b.Name), fmt.Sprintf("%v, %v", b.Min, b.Max), fmt.Sprintf("%v, %v", a.Min, a.Max))
		case b.Discrete != a.Discrete || b.Period != a.Period:
			return bad("Discrete, Period of axis "+strconv.Quote(b.Name), fmt.Sprintf("%v, %v", b.Discrete, b.Period), fmt.Sprintf("%v, %v", a.Discrete, a.Period))
		}
	}
	for i, a := range s.Actions {
		if b := world.Actions[i]; b.Name != a.Name {
			return bad(fmt.Sprintf("the name of action %d", i), strconv.Quote(b.Name), strconv.Quote(a.Name))
		} else if !slices.EqualFunc(a.Box, b.Box, func(x, y Axis) bool { return x.Min == y.Min && x.Max == y.Max && x.Period == y.Period }) {
			return bad("the Box of action "+strconv.Quote(a.Name), fmt.Sprint(b.Box), fmt.Sprint(a.Box))
		}
	}
	return nil
}
