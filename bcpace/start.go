package bcpace

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Start is a start state with its probability, and the prior conditioned on it.
type Start struct {
	State  []float64
	Belief Belief
	Weight float64
}

// startDraws is how many start states are drawn from P0(s) if the model does not list
// them.
const startDraws = 256

// StartsOf returns the start states of m: all of them for an Enumerator, and otherwise the distinct
// ones among 256 draws with a fixed seed. The error is that of Validate, or the model's.
func StartsOf(m Model) ([]Start, error) {
	if err := Validate(m); err != nil {
		return nil, err
	}
	if e, ok := m.(Enumerator); ok {
		return enumeratedStarts(e)
	}
	sim, rng := NewSimulator(m), rand.New(rand.NewPCG(0, 0))
	var list []Start
draws:
	for range startDraws {
		if err := sim.Reset(rng); err != nil {
			return nil, err
		}
		for i := range list {
			if slices.Equal(list[i].State, sim.State) {
				list[i].Weight += 1.0 / startDraws
				continue draws
			}
		}
		list = append(list, Start{append([]float64(nil), sim.State...), append(Belief(nil), sim.Belief...), 1.0 / startDraws})
	}
	return list, nil
}

// enumeratedStarts conditions the prior on each start state of e.
func enumeratedStarts(e Enumerator) ([]Start, error) {
	var z Successors
	if err := z.ListStarts(e); err != nil {
		return nil, err
	}
	prior := make(Belief, len(e.Spec().Latents))
	e.Prior(prior)
	var list []Start
	for i := range z.Len() {
		s, p, _ := z.Row(i)
		b := make(Belief, len(prior))
		if w := prior.Posterior(b, p); w > 0 {
			list = append(list, Start{append([]float64(nil), s...), b, w})
		}
	}
	return list, nil
}

// ListStarts fills z with the start states of m, each with P0(s|φ) for its probabilities.
func (z *Successors) ListStarts(m Enumerator) (err error) {
	if err := Validate(m); err != nil {
		return err
	}
	spec := m.Spec()
	defer spec.Guard(&err, "Starts", nil, -1, -1)
	z.Reset(len(spec.Axes), len(spec.Latents))
	m.Starts(z)
	return spec.CheckSizes(z, "Starts", nil, -1)
}

// StartPoint is a state and the belief held there, to explore from.
type StartPoint struct {
	State  []float64
	Belief Belief
}

// Check says what keeps p from being a state and a belief of m.
func (p StartPoint) Check(m Model) error {
	spec := m.Spec()
	if err := p.fits(&spec); err != nil {
		return err
	}
	if !hasState(m, p.State) {
		return spec.in().Bad("the state", p.State, "one of its numbered states")
	}
	return nil
}

// fits says what keeps p from being a state and a belief of a model with that Spec.
func (p StartPoint) fits(spec *Spec) error {
	if len(p.State) != len(spec.Axes) {
		return spec.in().Bad("the state", p.State, fmt.Sprintf("%d numbers, one for each axis", len(spec.Axes)))
	}
	for i, x := range p.State {
		if a := &spec.Axes[i]; !a.holds(x) {
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
	return StartPoint{state, b}.fits(s) == nil && hasState(m, state)
}
