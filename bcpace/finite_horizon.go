package bcpace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
)

// HorizonKeeper is a Model whose states hold the number of steps left, as those of
// FiniteHorizon do. The best action then depends on state and belief alone, so that
// algorithms for stationary values solve the model. Other models with a Spec.Horizon need
// FiniteHorizon first; Explore applies it by itself.
type HorizonKeeper interface {
	// KeepsHorizon reports whether the model ends (Outcome.Done) every episode, from
	// every state, reachable or not, within Spec.Horizon steps.
	KeepsHorizon() bool
}

// CutsEpisodes reports whether m has a horizon, and states without the steps left.
func CutsEpisodes(m Model) bool {
	if m.Spec().Horizon == 0 {
		return false
	}
	k, ok := m.(HorizonKeeper)
	return !ok || !k.KeepsHorizon()
}

// CheckStationary returns an *UnsupportedError that names the algorithm if m has a
// horizon and states without the steps left: then its values and best actions are not
// functions of state and belief.
func CheckStationary(m Model, algorithm string) error {
	if m == nil {
		return Validate(m)
	}
	if !CutsEpisodes(m) {
		return nil
	}
	return &UnsupportedError{Model: m.Spec().Name, Algorithm: algorithm,
		Need: fmt.Sprintf("the steps left in the states, as values in a model with a horizon depend on them: use bcpace.FiniteHorizon(model, %d)", m.Spec().Horizon)}
}

// FiniteHorizon returns m with one more axis, "steps left". It counts down from steps, or
// from the horizon of m if that is less. The episode ends when it reaches 0; a state with
// 0 steps left leads to itself and pays nothing. Over a finite horizon, values and
// policies depend on the steps left. In the returned model these are part of the state,
// so that algorithms for stationary values, such as dp.SolveFinite and Explore, solve the
// finite-horizon problem.
//
// The error is an *InputError for steps < 1 or > MaxHorizon, or for a model that is not valid, and
// an *UnsupportedError for a model that AsFinite refuses or an UnknownTransitions.
func FiniteHorizon(m Finite, steps int) (Finite, error) {
	if err := Validate(m); err != nil {
		return nil, err
	}
	spec := m.Spec()
	if steps < 1 || steps > MaxHorizon {
		return nil, &InputError{Where: "FiniteHorizon of model " + strconv.Quote(spec.Name), What: "steps", Got: fmt.Sprint(steps), Want: fmt.Sprintf("a number of steps from 1 up to %d", MaxHorizon)}
	}
	if _, ok := AsFinite(m); !ok {
		return nil, &UnsupportedError{Model: spec.Name, Algorithm: "FiniteHorizon", Need: NeedNumbered(m)}
	}
	if err := knowsTransitions(m, "FiniteHorizon"); err != nil {
		return nil, err
	}
	c := newFiniteHorizon(m, steps)
	c.spec.Params = append(append([]Param(nil), spec.Params...), Param{Key: "steps", Value: fmt.Sprint(steps)})
	return c.with(m).(Finite), nil
}

// KeepHorizon returns m with the steps left in its states, if m has a horizon and is no
// HorizonKeeper, and m itself otherwise. Name and parameters stay those of m.
func KeepHorizon(m Model) Model {
	if !CutsEpisodes(m) {
		return m
	}
	c := newFiniteHorizon(m, m.Spec().Horizon)
	return c.with(m)
}

// finiteHorizon is a model with the steps left on its last axis. The latent dynamics, and
// what the start reveals of the latent, are those of the inner model.
type finiteHorizon struct {
	inner Model
	moves SparseLatent // of the inner model, nil if it has none
	steps int
	spec  Spec
}

// listedFiniteHorizon is a finiteHorizon that lists the successors of a state.
type listedFiniteHorizon struct {
	finiteHorizon
	list Enumerator
}

// numberedFiniteHorizon is a finiteHorizon whose states are numbered.
type numberedFiniteHorizon struct {
	listedFiniteHorizon
	finite Finite
}

var (
	_ SparseLatent    = (*finiteHorizon)(nil)
	_ StartLikelihood = (*finiteHorizon)(nil)
	_ ReturnRange     = (*finiteHorizon)(nil)
	_ HorizonKeeper   = (*finiteHorizon)(nil)
	_ Enumerator      = (*listedFiniteHorizon)(nil)
	_ FinerLister     = (*listedFiniteHorizon)(nil)
	_ Finite          = (*numberedFiniteHorizon)(nil)
)

// newFiniteHorizon returns m with at most the given number of steps.
func newFiniteHorizon(m Model, steps int) finiteHorizon {
	spec := m.Spec()
	if spec.Horizon > 0 {
		steps = min(steps, spec.Horizon)
	}
	left := Axis{Name: "steps left", Min: 0, Max: float64(steps), Discrete: true}
	spec.Axes = append(append([]Axis(nil), spec.Axes...), left)
	spec.Horizon = steps
	// A state with no steps left pays nothing.
	spec.RewardMin, spec.RewardMax = min(spec.RewardMin, 0), max(spec.RewardMax, 0)
	return finiteHorizon{inner: m, steps: steps, spec: spec}
}

// with returns the same model with another inner one.
func (m *finiteHorizon) with(inner Model) Model {
	c := *m
	c.inner = inner
	c.moves, _ = AsSparseLatent(inner)
	if f, ok := AsFinite(inner); ok {
		return &numberedFiniteHorizon{listedFiniteHorizon{c, f}, f}
	}
	if e, ok := inner.(Enumerator); ok {
		return &listedFiniteHorizon{c, e}
	}
	return &c
}

// withSteps returns s, a state of the inner model, with all steps left. It returns any
// other s unchanged.
func (m *finiteHorizon) withSteps(s []float64) []float64 {
	if len(s) != len(m.spec.Axes)-1 {
		return s
	}
	return append(append([]float64(nil), s...), float64(m.steps))
}

// split returns the state of the inner model, a view, and the steps left.
func (m *finiteHorizon) split(s []float64) (inner []float64, left float64) {
	n := len(s) - 1
	return s[:n:n], s[n]
}

// Spec implements Model.
func (m *finiteHorizon) Spec() Spec { return m.spec }

// KeepsHorizon implements HorizonKeeper.
func (m *finiteHorizon) KeepsHorizon() bool { return true }

// ReturnRange implements ReturnRange.
func (m *finiteHorizon) ReturnRange() (lo, hi float64) { return returnRange(m.inner, m.spec) }

// Prior implements Model.
func (m *finiteHorizon) Prior(b Belief) { m.inner.Prior(b) }

// Start implements Model.
func (m *finiteHorizon) Start(s []float64, latent int, rng *rand.Rand) {
	inner, _ := m.split(s)
	m.inner.Start(inner, latent, rng)
	s[len(s)-1] = float64(m.steps)
}

// Step implements Model.
func (m *finiteHorizon) Step(next, s []float64, latent, action int, rng *rand.Rand) Outcome {
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
func (m *finiteHorizon) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
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
func (m *finiteHorizon) StartLogLikelihood(s []float64, latent int) float64 {
	if l, ok := m.inner.(StartLikelihood); ok {
		inner, _ := m.split(s)
		return l.StartLogLikelihood(inner, latent)
	}
	return 0
}

// LatentKind implements LatentDynamics.
func (m *finiteHorizon) LatentKind() LatentKind { return KindOf(m.inner) }

// LatentTransition implements LatentDynamics.
func (m *finiteHorizon) LatentTransition(p []float64, s []float64, action, latent int) bool {
	d, ok := m.inner.(LatentDynamics)
	if !ok {
		return false
	}
	inner, left := m.split(s)
	return left > 0 && d.LatentTransition(p, inner, action, latent)
}

// IsSparse reports whether the inner model is a SparseLatent.
func (m *finiteHorizon) IsSparse() bool { return m.moves != nil }

// LatentMoves implements SparseLatent.
func (m *finiteHorizon) LatentMoves(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64) {
	inner, left := m.split(s)
	if left <= 0 {
		return append(to, int32(latent)), append(share, 1)
	}
	return m.moves.LatentMoves(to, share, inner, action, latent)
}

// Starts implements Enumerator.
func (m *listedFiniteHorizon) Starts(z *Successors) {
	rows := m.rows(z)
	m.list.Starts(&rows)
	m.check(&rows, "Starts", nil, -1)
	extend(z, &rows, float64(m.steps), false)
}

// Successors implements Enumerator.
func (m *listedFiniteHorizon) Successors(z *Successors, s []float64, action int) {
	inner, left := m.split(s)
	if left <= 0 {
		state, prob, _ := z.Add(true)
		copy(state, s)
		for i := range prob {
			prob[i] = 1
		}
		return
	}
	rows := m.rows(z)
	m.list.Successors(&rows, inner, action)
	m.check(&rows, "Successors", inner, action)
	extend(z, &rows, left-1, left <= 1)
}

// FinerList implements FinerLister.
func (m *listedFiniteHorizon) FinerList() Enumerator {
	finer := finerList(m.list)
	if finer == nil {
		return nil
	}
	return m.with(finer).(Enumerator)
}

// rows returns a list for the model without the steps left.
func (m *listedFiniteHorizon) rows(z *Successors) (rows Successors) {
	rows.Reset(z.axes-1, z.latents)
	return rows
}

// check panics with the fault of a list that the model without the steps left has made.
func (m *listedFiniteHorizon) check(rows *Successors, call string, s []float64, action int) {
	if !rows.sized(len(m.spec.Axes)-1, len(m.spec.Latents)) {
		spec := m.inner.Spec()
		panic(spec.CheckSizes(rows, call, s, action))
	}
}

// extend adds rows to z, with the steps left behind each state.
func extend(z, rows *Successors, left float64, end bool) {
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
func (m *numberedFiniteHorizon) NumStates() int { return m.finite.NumStates() * (m.steps + 1) }

// StateAt implements Finite.
func (m *numberedFiniteHorizon) StateAt(s []float64, number int) {
	inner, _ := m.split(s)
	m.finite.StateAt(inner, number/(m.steps+1))
	s[len(s)-1] = float64(number % (m.steps + 1))
}

// StateIndex implements Finite.
func (m *numberedFiniteHorizon) StateIndex(s []float64) int {
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

// finiteHorizonOf returns m as a finiteHorizon, or nil if it is none.
func finiteHorizonOf(m Model) *finiteHorizon {
	switch c := m.(type) {
	case *finiteHorizon:
		return c
	case *listedFiniteHorizon:
		return &c.finiteHorizon
	case *numberedFiniteHorizon:
		return &c.finiteHorizon
	}
	return nil
}
