package solverkit

import (
	"fmt"
	"slices"

	"bayescpace/bcpace"
)

// StartFor returns s, a state where an episode may begin, as a state of m, which
// bcpace.ForPolicy has returned: with all steps left behind it, if the states of m have them and
// s has not.
func StartFor(m bcpace.Model, s []float64) []float64 {
	can := bcpace.AbilitiesOf(m)
	if can.StepsLeft == 0 || len(s) != len(can.Spec.Axes)-1 {
		return s
	}
	return append(slices.Clone(s), float64(can.StepsLeft))
}

// StartsFor returns starts as points of m: where m counts down the steps left of a
// model, with all of them behind the states of that one. The error is an *bcpace.InputError
// for what is not a state and belief of m.
func StartsFor(m bcpace.Model, starts []bcpace.StartPoint) ([]bcpace.StartPoint, error) {
	list := slices.Clone(starts)
	for i := range list {
		list[i].State = StartFor(m, list[i].State)
		if err := list[i].Check(m); err != nil {
			return nil, fmt.Errorf("options: Starts[%d]: %w", i, err)
		}
	}
	return list, nil
}

// MeanAtStart returns the mean of f over the start states of m, each with the prior
// conditioned on that state. If f returns an algorithm's values, this is its value at
// the start. If m does not list its start states, MeanAtStart draws some, always the
// same ones. The error is that of bcpace.StartsOf.
func MeanAtStart(m bcpace.Model, f func(s []float64, b bcpace.Belief) float64) (float64, error) {
	starts, err := bcpace.StartsOf(m)
	v := 0.0
	for _, s := range starts {
		v += s.Weight * f(s.State, s.Belief)
	}
	return v, err
}
