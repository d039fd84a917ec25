package adaops

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/vectors"
	"bayescpace/bcpace/solverkit"
)

const (
	defaultLeast     = 30
	defaultMost      = 100
	fewParticles     = 300 // where leaves cost next to nothing
	defaultZeta      = 0.1
	defaultThreshold = 2
	maxParticles     = 1 << 16
	mostNext         = 30 // next states of an action, for up to 100 particles; then as their root
)

// Planner returns the planner for a hidden vector. The error is a *bcpace.InputError for a model or parameters that cannot be used, and a
// *bcpace.UnsupportedError for a model without a LogDensity, or for actions with a Box.
func (s Solver) Planner(m *hidden.Model) (hidden.Planner, error) {
	given := s
	s, err := s.settle(m)
	if err != nil {
		return nil, err
	}
	table, err := vectors.NewTable(m, s.Budget.Depth)
	if err != nil {
		return nil, err
	}
	if table != nil && given.Least == 0 && given.Most == 0 {
		s.Least, s.Most = fewParticles, fewParticles
	}
	return online.NewVectors(m, s.Budget, func() online.Search[hidden.Belief] { return newBeliefs(vectors.Guarded(m), table, s) })
}

// settle checks s and m and fills in the defaults.
func (s Solver) settle(m *hidden.Model) (Solver, error) {
	s.Least, s.Most = cmp.Or(s.Least, min(defaultLeast, cmp.Or(s.Most, defaultMost))), cmp.Or(s.Most, max(defaultMost, s.Least))
	if err := s.check(); err != nil {
		return s, err
	}
	bad := bcpace.In("options").Bad
	switch {
	case s.Width != 0 || s.Epsilon != 0 || s.Bounds != nil:
		return s, bad("Width, Epsilon, Bounds", fmt.Sprint(s.Width, s.Epsilon, s.Bounds), "none for a hidden vector, whose values have the bounds of its model")
	case s.Least < 1 || s.Least > maxParticles:
		return s, bad("Least", s.Least, fmt.Sprintf("a number of particles from 1 to %d; without one it is %d", maxParticles, defaultLeast))
	case s.Most < s.Least || s.Most > maxParticles:
		return s, bad("Most", s.Most, fmt.Sprintf("a number of particles from the least one, %d, to %d; without one it is %d or more", s.Least, maxParticles, defaultMost))
	case !(s.Zeta >= 0) || math.IsInf(s.Zeta, 1):
		return s, bad("Zeta", s.Zeta, "an error above 0; without one it is "+numtext.Exact(defaultZeta))
	case s.Threshold != 0 && !(s.Threshold >= 1):
		return s, bad("Threshold", s.Threshold, "a design effect of 1 or more, or 0 for the default")
	}
	if err := cmp.Or(m.Validate(), vectors.NeedActionList(m, "adaops")); err != nil {
		return s, err
	}
	if m.LogDensity == nil {
		return s, &bcpace.UnsupportedError{Model: m.Spec.Name, Algorithm: "adaops", Need: "Model.LogDensity, which weighs the particles of a node; despot and pomcpow do without where what is observed takes few values"}
	}
	s.Delta, s.Zeta, s.Threshold = cmp.Or(s.Delta, defaultDelta), cmp.Or(s.Zeta, defaultZeta), cmp.Or(s.Threshold, defaultThreshold)
	if s.NoPacking {
		s.Delta = -1
	}
	s.Budget.Depth = cmp.Or(s.Budget.Depth, solverkit.SearchDepth(m.Spec.Spec))
	return s, nil
}

// PackVectors is Pack for a hidden vector: it returns what follows an action at (s, b), and its nodes in the tree of a decision there, which is what figures of a
// packing draw, and package cover counts. The error is that of Planner, or an *bcpace.InputError for a state, belief, action or
// rng that cannot be used.
func (s Solver) PackVectors(m *hidden.Model, state []float64, b hidden.Belief, action int, rng *rand.Rand) (z *Packing, err error) {
	s, err = s.settle(m)
	if err != nil {
		return nil, err
	}
	bad := bcpace.In(fmt.Sprintf("planning in model %q", m.Spec.Name)).Bad
	switch {
	case len(state) != len(m.Spec.Axes) || b == nil || rng == nil:
		return nil, bad("the state, belief or random numbers", fmt.Sprintf("%v, %v, %v", state, b, rng), fmt.Sprintf("a state of %d numbers, and two that are not nil", len(m.Spec.Axes)))
	case !m.Spec.IsAction(action):
		return nil, bad("the action", action, m.Spec.WantAction())
	}
	defer m.Spec.Guard(&err, "a simulation from there", state, action, -1)
	t := newBeliefs(vectors.Guarded(m), nil, s)
	t.states = append(t.states, state...)
	t.draw(b, rng)
	t.follow(0, action, rng)
	return t.packing(), nil
}
