package bcpace

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// HorizonKeeper is a Model whose states tell how many steps are left, as those of
// Countdown do. The best action then depends on state and belief alone, and
// everything made for stationary values solves the model as it is. A model that
// has a Spec.Horizon and is no HorizonKeeper needs Countdown first; Explore puts
// it in by itself.
type HorizonKeeper interface {
	// KeepsHorizon says that from every state, reachable or not, each episode ends
	// by itself (Outcome.Done) within Spec.Horizon steps.
	KeepsHorizon() bool
}

// cutsEpisodes says that m has a horizon which its states do not keep.
func cutsEpisodes(m Model) bool {
	if m.Spec().Horizon == 0 {
		return false
	}
	k, ok := m.(HorizonKeeper)
	return !ok || !k.KeepsHorizon()
}

// CheckStationary returns an *UnsupportedError of the algorithm where m has a
// horizon that its states do not keep: its values and best actions are no functions
// of state and belief then.
func CheckStationary(m Model, algorithm string) error {
	if !cutsEpisodes(m) {
		return nil
	}
	return &UnsupportedError{Model: m.Spec().Name, Algorithm: algorithm,
		Need: fmt.Sprintf("states that tell the steps left, as values depend on them in a model with a horizon: take bcpace.Countdown(model, %d)", m.Spec().Horizon)}
}

// Countdown returns m with one more axis, "steps left", that counts down from
// steps, or from the horizon of m where that is less: the episode ends when it
// reaches 0, where a state stays as it is at no reward. Values and policies of m
// for a limited time depend on the time that is left; in the model returned it is
// part of the state, so that everything made for stationary values, such as
// SolveFinite and Explore, solves the limited problem.
//
// The error is an *InputError for steps < 1 or for a model that is not valid, and
// an *UnsupportedError for a model that AsFinite refuses.
func Countdown(m Finite, steps int) (Finite, error) {
	if err := Validate(m); err != nil {
		return nil, err
	}
	spec := m.Spec()
	if steps < 1 {
		return nil, &InputError{Where: "countdown of model " + quote(spec.Name), What: "steps", Got: fmt.Sprint(steps), Want: "at least 1"}
	}
	if _, ok := AsFinite(m); !ok {
		return nil, &UnsupportedError{Model: spec.Name, Algorithm: "Countdown", Need: "numbered states (Finite)"}
	}
	c := newClock(m, steps)
	c.spec.Params = append(append([]Param(nil), spec.Params...), Param{Key: "steps", Value: fmt.Sprint(steps)})
	return &finiteCountdown{listedCountdown{c, m}, m}, nil
}

// KeepHorizon returns m with the steps left in its states where it has a horizon
// that they do not keep, and m itself otherwise. Its name and parameters are those
// of m.
func KeepHorizon(m Model) Model {
	if !cutsEpisodes(m) {
		return m
	}
	c := newClock(m, m.Spec().Horizon)
	if f, ok := AsFinite(m); ok {
		return &finiteCountdown{listedCountdown{c, f}, f}
	}
	if e, ok := m.(Enumerator); ok {
		return &listedCountdown{c, e}
	}
	return &c
}

// countdown is a model with the steps left on its last axis. The latent's
// dynamics and what the start tells are those of the inner model.
type countdown struct {
	inner Model
	steps int
	spec  Spec
}

// listedCountdown is a countdown that lists what follows a state.
type listedCountdown struct {
	countdown
	list Enumerator
}

// finiteCountdown is a countdown whose states are numbered.
type finiteCountdown struct {
	listedCountdown
	finite Finite
}

var (
	_ LatentDynamics  = (*countdown)(nil)
	_ StartLikelihood = (*countdown)(nil)
	_ ReturnRange     = (*countdown)(nil)
	_ HorizonKeeper   = (*countdown)(nil)
	_ Enumerator      = (*listedCountdown)(nil)
	_ Finite          = (*finiteCountdown)(nil)
)

// newClock returns m with at most the given number of steps.
func newClock(m Model, steps int) countdown {
	spec := m.Spec()
	if spec.Horizon > 0 {
		steps = min(steps, spec.Horizon)
	}
	left := Axis{Name: "steps left", Min: 0, Max: float64(steps), Discrete: true}
	spec.Axes = append(append([]Axis(nil), spec.Axes...), left)
	spec.Horizon = steps
	// A state with no steps left pays nothing.
	spec.RewardMin, spec.RewardMax = min(spec.RewardMin, 0), max(spec.RewardMax, 0)
	return countdown{inner: m, steps: steps, spec: spec}
}

// clocked returns s, a state of the inner model, with all steps left; and s as it is
// where it is none.
func (m *countdown) clocked(s []float64) []float64 {
	if len(s) != len(m.spec.Axes)-1 {
		return s
	}
	return append(append([]float64(nil), s...), float64(m.steps))
}

// split returns the state of the inner model, a view, and the steps left.
func (m *countdown) split(s []float64) (inner []float64, left float64) {
	n := len(s) - 1
	return s[:n:n], s[n]
}

// Spec implements Model.
func (m *countdown) Spec() Spec { return m.spec }

// KeepsHorizon implements HorizonKeeper.
func (m *countdown) KeepsHorizon() bool { return true }

// ReturnRange implements ReturnRange.
func (m *countdown) ReturnRange() (lo, hi float64) { return returnRange(m.inner, m.spec) }

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
func (m *listedCountdown) Starts(z *Successors) {
	m.extend(z, float64(m.steps), false, m.list.Starts)
}

// Successors implements Enumerator.
func (m *listedCountdown) Successors(z *Successors, s []float64, action int) {
	inner, left := m.split(s)
	if left <= 0 {
		state, prob, _ := z.Add(true)
		copy(state, s)
		for i := range prob {
			prob[i] = 1
		}
		return
	}
	m.extend(z, left-1, left <= 1, func(z *Successors) { m.list.Successors(z, inner, action) })
}

// extend adds the rows that list gives, with the steps left behind each state.
func (m *listedCountdown) extend(z *Successors, left float64, end bool, list func(*Successors)) {
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
func (m *finiteCountdown) NumStates() int { return m.finite.NumStates() * (m.steps + 1) }

// StateAt implements Finite.
func (m *finiteCountdown) StateAt(s []float64, number int) {
	inner, _ := m.split(s)
	m.finite.StateAt(inner, number/(m.steps+1))
	s[len(s)-1] = float64(number % (m.steps + 1))
}

// StateIndex implements Finite.
func (m *finiteCountdown) StateIndex(s []float64) int {
	if len(s) != len(m.spec.Axes) {
		return -1
	}
	inner, left := m.split(s)
	i := m.finite.StateIndex(inner)
	if i < 0 || !(left >= 0 && left <= float64(m.steps)) || left != float64(int(left)) {
		return -1
	}
	return i*(m.steps+1) + int(left)
}
