package bcpace

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Countdown returns m with one more axis, "steps left", that counts down from
// steps: the episode ends when it reaches 0, where a state stays as it is at no
// reward. Values and policies of m for a limited time depend on the time that
// is left; in the model returned it is part of the state, so that everything
// made for stationary values, such as SolveFinite and Explore, solves the
// limited problem.
//
// The error is an *InputError for steps < 1 or for a model that is not valid.
func Countdown(m Finite, steps int) (Finite, error) {
	if err := Validate(m); err != nil {
		return nil, err
	}
	spec := m.Spec()
	if steps < 1 {
		return nil, &InputError{Where: "countdown of model " + quote(spec.Name), What: "steps", Got: fmt.Sprint(steps), Want: "at least 1"}
	}
	left := Axis{Name: "steps left", Min: 0, Max: float64(steps), Discrete: true}
	spec.Axes = append(append([]Axis(nil), spec.Axes...), left)
	spec.Params = append(append([]Param(nil), spec.Params...), Param{Key: "steps", Value: fmt.Sprint(steps)})
	if spec.Horizon == 0 || spec.Horizon > steps {
		spec.Horizon = steps
	}
	return &countdown{inner: m, steps: steps, spec: spec}, nil
}

// countdown is a model with the steps left on its last axis. The latent's
// dynamics and what the start tells are those of the inner model.
type countdown struct {
	inner Finite
	steps int
	spec  Spec
}

var (
	_ Finite          = (*countdown)(nil)
	_ LatentDynamics  = (*countdown)(nil)
	_ StartLikelihood = (*countdown)(nil)
)

// split returns the state of the inner model, a view, and the steps left.
func (m *countdown) split(s []float64) (inner []float64, left float64) {
	n := len(s) - 1
	return s[:n:n], s[n]
}

// Spec implements Model.
func (m *countdown) Spec() Spec { return m.spec }

// Prior implements Model.
func (m *countdown) Prior(b Belief) { m.inner.Prior(b) }

// Start implements Model.
func (m *countdown) Start(s []float64, latent int, rng *rand.Rand) {
	inner, _ := m.split(s)
	m.inner.Start(inner, latent, rng)
	s[len(s)-1] = float64(m.steps)
}

// Step implements Model.
func (m *countdown) Step(next, s []float64, latent, action int, rng *rand.Rand) Outcome {
	from, left := m.split(s)
	if left <= 0 {
		copy(next, s)
		return Outcome{Done: true}
	}
	to, _ := m.split(next)
	out := m.inner.Step(to, from, latent, action, rng)
	next[len(next)-1] = left - 1
	out.Done = out.Done || left <= 1
	return out
}

// LogLikelihood implements Model.
func (m *countdown) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	from, left := m.split(s)
	to, after := m.split(next)
	switch {
	case left <= 0 && after == left && equal(from, to):
		return 0
	case left <= 0 || after != left-1:
		return math.Inf(-1)
	}
	return m.inner.LogLikelihood(from, action, to, latent)
}

// StartLogLikelihood implements StartLikelihood.
func (m *countdown) StartLogLikelihood(s []float64, latent int) float64 {
	if l, ok := m.inner.(StartLikelihood); ok {
		inner, _ := m.split(s)
		return l.StartLogLikelihood(inner, latent)
	}
	return 0
}

// LatentKind implements LatentDynamics.
func (m *countdown) LatentKind() LatentKind { return KindOf(m.inner) }

// LatentTransition implements LatentDynamics.
func (m *countdown) LatentTransition(p []float64, s []float64, action, latent int) bool {
	d, ok := m.inner.(LatentDynamics)
	if !ok {
		return false
	}
	inner, left := m.split(s)
	return left > 0 && d.LatentTransition(p, inner, action, latent)
}

// Starts implements Enumerator.
func (m *countdown) Starts(z *Successors) {
	m.extend(z, float64(m.steps), false, m.inner.Starts)
}

// Successors implements Enumerator.
func (m *countdown) Successors(z *Successors, s []float64, action int) {
	inner, left := m.split(s)
	if left <= 0 {
		state, prob, _ := z.Add(true)
		copy(state, s)
		for i := range prob {
			prob[i] = 1
		}
		return
	}
	m.extend(z, left-1, left <= 1, func(z *Successors) { m.inner.Successors(z, inner, action) })
}

// extend adds the rows that list gives, with the steps left behind each state.
func (m *countdown) extend(z *Successors, left float64, end bool, list func(*Successors)) {
	var rows Successors
	rows.Reset(z.axes-1, z.latents)
	list(&rows)
	for i := range rows.Len() {
		s, p, r := rows.Row(i)
		state, prob, reward := z.Add(end || rows.Done[i])
		copy(state, s)
		state[len(state)-1] = left
		copy(prob, p)
		copy(reward, r)
	}
}

// NumStates implements Finite.
func (m *countdown) NumStates() int { return m.inner.NumStates() * (m.steps + 1) }

// StateAt implements Finite.
func (m *countdown) StateAt(s []float64, number int) {
	inner, _ := m.split(s)
	m.inner.StateAt(inner, number/(m.steps+1))
	s[len(s)-1] = float64(number % (m.steps + 1))
}

// StateIndex implements Finite.
func (m *countdown) StateIndex(s []float64) int {
	inner, left := m.split(s)
	i := m.inner.StateIndex(inner)
	if i < 0 || !(left >= 0 && left <= float64(m.steps)) || left != float64(int(left)) {
		return -1
	}
	return i*(m.steps+1) + int(left)
}
