package bcpace

import (
	"math/rand/v2"
	"sync"
)

// Abilities are what a model can do: a function for each method of Model and of the upgrades that stay
// true of a model made from it, nil where it has no such method. Where an upgrade has no interface of
// its own, its method stands in brackets. Not among them is what a model says of its own values
// (LatentValues, ValueBounds, ToldModel) or of an agent's knowledge (UnknownTransitions).
type Abilities struct {
	Spec          Spec // Model
	Prior         func(b Belief)
	Start         func(s []float64, latent int, rng *rand.Rand)
	Step          func(next, s []float64, latent, action int, rng *rand.Rand) Outcome
	LogLikelihood func(s []float64, action int, next []float64, latent int) float64

	StartLogLikelihood func(s []float64, latent int) float64 // StartLikelihood

	LatentKind       LatentKind // LatentDynamics
	LatentTransition func(p []float64, s []float64, action, latent int) bool
	NextLatent       func(s []float64, action, latent int) int // DeterministicLatent
	// LatentMoves is that of a SparseLatent, or lists the latent of NextLatent.
	LatentMoves func(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64)

	Starts     func(z *Successors) // Enumerator
	Successors func(z *Successors, s []float64, action int)
	// FinerList [FinerList() Enumerator], where a list stands for a density, returns the model with one up to
	// twice as fine, or nil.
	FinerList func() Enumerator

	NumStates  func() int // Finite, whatever the actions
	StateAt    func(s []float64, number int)
	StateIndex func(s []float64) int

	Validate func() error // Validator
	// ReturnRange [ReturnRange() (lo, hi float64)] returns lo ≤ 0 ≤ hi such that the discounted return from every
	// state, of every policy and cut after any number of steps, lies in [lo, hi].
	ReturnRange func() (lo, hi float64)
	Lipschitz   func() Lipschitz  // [Lipschitz() Lipschitz]
	Smoothness  func() Smoothness // [Smoothness() (Smoothness, bool)], nil also where that returns false
	// KeepsHorizon [KeepsHorizon() bool] says that the model ends (Outcome.Done) every episode, from every state, reachable or not, within
	// Spec.Horizon steps, as its states hold the steps left. Algorithms of stationary values take others with a horizon only through KeepHorizon.
	KeepsHorizon bool
	ShowsEnds    bool // [ShowsEnds() bool] the end of an episode tells nothing of the latent that the next state does not

	// Of a model whose actions Discretised has made: the model with the boxes, the number of points on each
	// axis of a Box, and by action its id there.
	Behind Model
	Points int
	IDs    []int

	StepsLeft int // at the start, where FiniteHorizon or KeepHorizon has put them on the last axis
}

// AbilitiesOf asks m what it can do; nothing for a nil model.
func AbilitiesOf(m Model) Abilities {
	if m == nil {
		return Abilities{}
	}
	if d := asDerived(m); d != nil {
		return d.can
	}
	a := Abilities{Spec: m.Spec(), Prior: m.Prior, Start: m.Start, Step: m.Step, LogLikelihood: m.LogLikelihood}
	if l, ok := m.(StartLikelihood); ok {
		a.StartLogLikelihood = l.StartLogLikelihood
	}
	if d, ok := m.(LatentDynamics); ok {
		a.LatentKind, a.LatentTransition = d.LatentKind(), d.LatentTransition
	}
	if l, ok := m.(SparseLatent); ok {
		a.LatentMoves = l.LatentMoves
	}
	if c, ok := m.(interface{ IsSparse() bool }); ok && !c.IsSparse() { // as a model around another one may say
		a.LatentMoves = nil
	}
	if d, ok := m.(DeterministicLatent); ok {
		a.NextLatent, a.LatentMoves = d.NextLatent, oneMove(d.NextLatent)
	}
	if e, ok := m.(Enumerator); ok {
		a.Starts, a.Successors = e.Starts, e.Successors
	}
	if l, ok := m.(interface{ FinerList() Enumerator }); ok {
		a.FinerList = l.FinerList
	}
	if f, ok := asNumbered(m); ok {
		a.NumStates, a.StateAt, a.StateIndex = f.NumStates, f.StateAt, f.StateIndex
	}
	if r, ok := m.(interface{ ReturnRange() (lo, hi float64) }); ok {
		a.ReturnRange = r.ReturnRange
	}
	if l, ok := m.(interface{ Lipschitz() Lipschitz }); ok {
		a.Lipschitz = l.Lipschitz
	}
	if l, ok := m.(interface{ Smoothness() (Smoothness, bool) }); ok {
		if s, stated := l.Smoothness(); stated {
			a.Smoothness = func() Smoothness { return s }
		}
	}
	if v, ok := m.(Validator); ok {
		a.Validate = v.Validate
	}
	if k, ok := m.(interface{ KeepsHorizon() bool }); ok {
		a.KeepsHorizon = k.KeepsHorizon()
	}
	if e, ok := m.(interface{ ShowsEnds() bool }); ok {
		a.ShowsEnds = e.ShowsEnds()
	}
	return a
}

// oneMove lists the one latent that follows.
func oneMove(next func(s []float64, action, latent int) int) func(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64) {
	return func(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64) {
		return append(to, int32(next(s, action, latent))), append(share, 1)
	}
}

// rowOf returns the LatentTransition of a latent with lists of moves.
func rowOf(moves func(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64)) func(p []float64, s []float64, action, latent int) bool {
	return func(p []float64, s []float64, action, latent int) bool {
		to, share := moves(nil, nil, s, action, latent)
		if len(to) == 1 && int(to[0]) == latent {
			return false
		}
		clear(p)
		for k, φ := range to {
			p[φ] = share[k]
		}
		return true
	}
}

// Derive returns a model made of m: it can do what m can, but for what change does to a, the abilities
// of m. change must set what is no longer true to nil. It may be called several times, each time with
// the model that a belongs to, as a finer list of m is changed in the same way. What m was made of by
// Discretised, FiniteHorizon or KeepHorizon is forgotten.
func Derive(m Model, change func(m Model, a *Abilities)) Model {
	return derive(m, func(m Model, a *Abilities) {
		a.Behind, a.Points, a.IDs, a.StepsLeft = nil, 0, nil, 0
		change(m, a)
	})
}

// derive is Derive without forgetting.
func derive(m Model, change func(m Model, a *Abilities)) Model {
	a := AbilitiesOf(m)
	if finer := a.FinerList; finer != nil {
		a.FinerList = func() Enumerator {
			if f := finer(); f != nil {
				return derive(f, change).(Enumerator)
			}
			return nil
		}
	}
	change(m, &a)
	return newDerived(a)
}

// tellsNothing is the StartLogLikelihood of a start that tells nothing of the latent. Some models
// have it, as they had when runs of them were saved: a fingerprint sees it.
func tellsNothing([]float64, int) float64 { return 0 }

// asSaved makes a change in such a way that runs of the model that were saved before models were
// derived are still those of the model: the start tells nothing where it told nothing, and a latent
// that moves is drawn from its list.
func (a *Abilities) asSaved() {
	if a.StartLogLikelihood == nil {
		a.StartLogLikelihood = tellsNothing
	}
	a.NextLatent = nil
}

// OnFirstAxes has what is about the latent read the first axes alone.
func (a *Abilities) OnFirstAxes(axes int) {
	if f := a.StartLogLikelihood; f != nil {
		a.StartLogLikelihood = func(s []float64, latent int) float64 { return f(s[:axes:axes], latent) }
	}
	a.MoveAt(func(s []float64, action int) ([]float64, int) { return s[:axes:axes], action })
}

// NumberLast numbers states with a last axis of n values, the fastest one.
func (a *Abilities) NumberLast(axes, n int) {
	count, at, index := a.NumStates, a.StateAt, a.StateIndex
	a.NumStates = func() int { return count() * n }
	a.StateAt = func(s []float64, number int) {
		at(s[:axes:axes], number/n)
		s[axes] = float64(number % n)
	}
	a.StateIndex = func(s []float64) int {
		if len(s) != axes+1 {
			return -1
		}
		i, last := index(s[:axes:axes]), s[axes]
		if i < 0 || !(last >= 0 && last < float64(n)) || last != float64(int(last)) {
			return -1
		}
		return i*n + int(last)
	}
}

// MoveAt has the latent move as at the state and action that at returns.
func (a *Abilities) MoveAt(at func(s []float64, action int) ([]float64, int)) {
	if f := a.LatentTransition; f != nil {
		a.LatentTransition = func(p []float64, s []float64, action, latent int) bool {
			s, action = at(s, action)
			return f(p, s, action, latent)
		}
	}
	if f := a.NextLatent; f != nil {
		a.NextLatent = func(s []float64, action, latent int) int {
			s, action = at(s, action)
			return f(s, action, latent)
		}
	}
	if f := a.LatentMoves; f != nil {
		a.LatentMoves = func(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64) {
			s, action = at(s, action)
			return f(to, share, s, action, latent)
		}
	}
}

// onActions makes abilities that take an action of m take its place in ids, which has the actions of m.
func (a *Abilities) onActions(m Model, ids []int) {
	a.Step = func(next, s []float64, latent, action int, rng *rand.Rand) Outcome {
		return m.Step(next, s, latent, ids[action], rng)
	}
	a.LogLikelihood = func(s []float64, action int, next []float64, latent int) float64 {
		return m.LogLikelihood(s, ids[action], next, latent)
	}
	a.MoveAt(func(s []float64, action int) ([]float64, int) { return s, ids[action] })
	if f := a.Successors; f != nil {
		a.Successors = func(z *Successors, s []float64, action int) { f(z, s, ids[action]) }
	}
	if f := a.Smoothness; f != nil {
		a.Smoothness = func() Smoothness {
			x := f()
			mean, sigma, reward, moves := x.Mean, x.SigmaAt, x.Reward, x.Moves
			x.Mean = func(to, s []float64, latent, action int) { mean(to, s, latent, ids[action]) }
			if sigma != nil {
				x.SigmaAt = func(to, s []float64, latent, action int) { sigma(to, s, latent, ids[action]) }
			}
			if moves != nil {
				x.Moves = func(p []float64, latent, action int) { moves(p, latent, ids[action]) }
			}
			if reward != nil {
				x.Reward = func(s []float64, latent, action int) float64 { return reward(s, latent, ids[action]) }
			}
			return x
		}
	}
}

// derived is the Model that has given abilities. Where it has a method without the ability, it
// answers what a model without that method stands for.
type derived struct {
	can Abilities

	tried sync.Once // of hidesEnd, which has found
	fault error
}

// derivedList is a derived that lists successors.
type derivedList struct{ *derived }

// derivedFinite is a derived whose states are numbered.
type derivedFinite struct{ derivedList }

var (
	_ SparseLatent    = (*derived)(nil)
	_ StartLikelihood = (*derived)(nil)
	_ Finite          = derivedFinite{}
)

// newDerived returns a model that has the abilities: an Enumerator where it lists successors, and
// a Finite where it also numbers states.
func newDerived(can Abilities) Model {
	if next := can.NextLatent; next != nil && can.LatentMoves == nil {
		can.LatentMoves = oneMove(next)
	}
	if moves := can.LatentMoves; moves != nil && can.LatentTransition == nil {
		can.LatentTransition = rowOf(moves)
	}
	if can.Successors == nil { // without a list, none of these is of use
		can.Starts, can.FinerList, can.NumStates, can.StateAt, can.StateIndex = nil, nil, nil, nil, nil
	}
	d := derivedList{&derived{can: can}}
	switch {
	case can.Successors == nil:
		return d.derived
	case can.NumStates == nil:
		return d
	}
	return derivedFinite{d}
}

// asDerived returns m as a derived, nil where it is another model.
func asDerived(m Model) *derived {
	if x, ok := m.(interface{ itself() *derived }); ok {
		return x.itself()
	}
	return nil
}

// itself is there for derivedList and derivedFinite too.
func (d *derived) itself() *derived { return d }

// Spec implements Model.
func (d *derived) Spec() Spec { return d.can.Spec }

// Prior implements Model.
func (d *derived) Prior(b Belief) { d.can.Prior(b) }

// Start implements Model.
func (d *derived) Start(s []float64, latent int, rng *rand.Rand) { d.can.Start(s, latent, rng) }

// Step implements Model.
func (d *derived) Step(next, s []float64, latent, action int, rng *rand.Rand) Outcome {
	return d.can.Step(next, s, latent, action, rng)
}

// LogLikelihood implements Model.
func (d *derived) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	return d.can.LogLikelihood(s, action, next, latent)
}

// StartLogLikelihood implements StartLikelihood.
func (d *derived) StartLogLikelihood(s []float64, latent int) float64 {
	if d.can.StartLogLikelihood == nil {
		return 0
	}
	return d.can.StartLogLikelihood(s, latent)
}

// LatentKind implements LatentDynamics.
func (d *derived) LatentKind() LatentKind { return d.can.LatentKind }

// LatentTransition implements LatentDynamics.
func (d *derived) LatentTransition(p []float64, s []float64, action, latent int) bool {
	return d.can.LatentTransition != nil && d.can.LatentTransition(p, s, action, latent)
}

// IsSparse reports whether there are lists of moves.
func (d *derived) IsSparse() bool { return d.can.LatentMoves != nil }

// LatentMoves implements SparseLatent.
func (d *derived) LatentMoves(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64) {
	return d.can.LatentMoves(to, share, s, action, latent)
}

// Validate implements Validator.
func (d *derived) Validate() error {
	if d.can.Validate == nil {
		return nil
	}
	return d.can.Validate()
}

// ShowsEnds is Abilities.ShowsEnds.
func (d *derived) ShowsEnds() bool { return d.can.ShowsEnds }

// Starts implements Enumerator.
func (d derivedList) Starts(z *Successors) { d.can.Starts(z) }

// Successors implements Enumerator.
func (d derivedList) Successors(z *Successors, s []float64, action int) {
	d.can.Successors(z, s, action)
}

// FinerList is Abilities.FinerList.
func (d derivedList) FinerList() Enumerator {
	if d.can.FinerList == nil {
		return nil
	}
	return d.can.FinerList()
}

// NumStates implements Finite.
func (d derivedFinite) NumStates() int { return d.can.NumStates() }

// StateAt implements Finite.
func (d derivedFinite) StateAt(s []float64, number int) { d.can.StateAt(s, number) }

// StateIndex implements Finite.
func (d derivedFinite) StateIndex(s []float64) int { return d.can.StateIndex(s) }
