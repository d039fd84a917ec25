package bcpace

import (
	"fmt"
	"strconv"
)

// StartPoint is a state and the belief held there, to explore from.
type StartPoint struct {
	State  []float64
	Belief Belief
}

// Check says what keeps p from being a state and a belief of m.
func (p StartPoint) Check(m Model) error {
	spec := m.Spec()
	if err := p.fits(spec); err != nil {
		return err
	}
	if !hasState(m, p.State) {
		return spec.in().Bad("the state", p.State, "one of its numbered states")
	}
	return nil
}

// fits says what keeps p from being a state and a belief of a model with that Spec.
func (p StartPoint) fits(spec Spec) error {
	if len(p.State) != len(spec.Axes) {
		return spec.in().Bad("the state", p.State, fmt.Sprintf("%d numbers, one for each axis", len(spec.Axes)))
	}
	for i, x := range p.State {
		if a := spec.Axes[i]; !a.holds(x) {
			kind := "value"
			if a.Whole() {
				kind = "whole number"
			}
			return spec.in().Bad("the state on axis "+strconv.Quote(a.Name), x, fmt.Sprintf("a %s from %v to %v", kind, a.Min, a.Max))
		}
	}
	if len(p.Belief) != len(spec.Latents) {
		return spec.in().Bad("the belief", p.Belief, fmt.Sprintf("%d probabilities, one for each latent", len(spec.Latents)))
	}
	return p.Belief.Validate()
}

// hasState reports whether a state on the axes is one of m: one with a number, where m has
// numbered states.
func hasState(m Model, s []float64) bool {
	f, ok := asNumbered(m)
	return !ok || f.StateIndex(s) >= 0
}

// IsPlace reports whether these are a state and a belief of m, described by s.
func (s *Spec) IsPlace(m Model, state []float64, b Belief) bool {
	if len(state) != len(s.Axes) || len(b) != len(s.Latents) || !b.isDistribution() {
		return false
	}
	for i, v := range state {
		if !s.Axes[i].holds(v) {
			return false
		}
	}
	return hasState(m, state)
}
