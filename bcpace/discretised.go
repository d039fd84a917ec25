package bcpace

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"bayescpace/bcpace/internal/boxid"
)

// maxDiscretised bounds the number of actions of Discretised.
const maxDiscretised = 1 << 16

// Discretised returns m with a list of actions in the place of boxes: each Box becomes so
// many points on each axis, at equal distances from Min to Max, of which the last is the
// first on an axis with a Period; and an action without a Box stays. Its policies are
// policies of m, see ForPolicy, and its optimal value is at most that of m. 0 points mean 33
// for a Box of one axis, 9 for each of two and 5 for each of three; where no action has a Box
// they mean m itself.
//
// The model is an Enumerator if m is one, and a Finite if m is. The error is an *InputError
// for 1 point and for a negative number, for points where no action has a Box, and for more
// than 65,536 actions.
func Discretised(m Model, points int) (Model, error) {
	if err := Validate(m); err != nil {
		return nil, err
	}
	spec := m.Spec()
	bad := func(what string, got any, want string) error {
		return &InputError{Where: "discretised actions of model " + strconv.Quote(spec.Name), What: what, Got: fmt.Sprint(got), Want: want}
	}
	if !spec.HasBox() {
		if d := discretisedOf(m); points != 0 && (d == nil || points != d.points) {
			return nil, bad("points", points, "0, as no action has a Box")
		}
		return m, nil
	}
	if points == 0 {
		points = spec.defaultPoints()
	}
	if points < 2 {
		return nil, bad("points", points, "at least 2 for each axis, or 0 for the default")
	}
	d := discretised{inner: m, points: points, spec: spec, innerSpec: spec}
	d.moves, _ = AsSparseLatent(m)
	d.spec.Actions = nil
	for index, a := range spec.Actions {
		ids, ok := spec.boxPoints(index, points, maxDiscretised-len(d.ids))
		if !ok {
			return nil, bad("points", points, fmt.Sprintf("so few that there are %d actions at most", maxDiscretised))
		}
		for _, id := range ids {
			d.ids = append(d.ids, id)
			if a.Box != nil {
				d.spec.Actions = append(d.spec.Actions, Action{Name: spec.ActionName(id)})
			} else {
				d.spec.Actions = append(d.spec.Actions, a)
			}
		}
	}
	e, listed := m.(Enumerator)
	f, numbered := asNumbered(m)
	switch {
	case numbered:
		return &numberedDiscretised{listedDiscretised{d, f}, f}, nil
	case listed:
		return &listedDiscretised{d, e}, nil
	}
	return &d, nil
}

// ListControls is Discretised for a solver that needs a list and whose certificate is to hold
// for m. The error is an *UnsupportedError for a model some of whose actions have a Box and
// whose states are numbered: what is proved of the list would not be proved of m.
func ListControls(m Model, points int, algorithm string) (Model, error) {
	if err := Validate(m); err != nil {
		return nil, err
	}
	if spec := m.Spec(); spec.HasBox() {
		if _, numbered := asNumbered(m); numbered {
			return nil, &UnsupportedError{Model: spec.Name, Algorithm: algorithm,
				Need: "states without numbers beside actions with a Box, or a list of actions: bcpace.Discretised makes one, and what is proved then holds for policies that keep to the list"}
		}
	}
	return Discretised(m, points)
}

// defaultPoints returns the number of points for each axis of a Box if the user gives none.
func (s *Spec) defaultPoints() int {
	axes := 0
	for _, a := range s.Actions {
		axes = max(axes, len(a.Box))
	}
	return [...]int{2, 33, 9, 5}[axes]
}

// FinerControls returns m, which Discretised has made, with half the distance between the
// points on each axis of a Box, and with the steps left if m has them; nil where m comes from
// elsewhere, and where there would be too many.
func FinerControls(m Enumerator) Enumerator {
	if h := finiteHorizonOf(m); h != nil {
		inner, ok := h.inner.(Enumerator)
		if !ok {
			return nil
		}
		finer := FinerControls(inner)
		if finer == nil {
			return nil
		}
		return KeepHorizon(finer).(Enumerator)
	}
	d, ok := m.(*listedDiscretised)
	if !ok {
		return nil
	}
	finer, err := Discretised(d.inner, 2*d.points-1)
	if err != nil {
		return nil
	}
	return finer.(Enumerator)
}

// boxPoints returns the ids of so many points on each axis of the Box of an action. ok is
// false if they are more than most.
func (s *Spec) boxPoints(index, points, most int) (ids []int, ok bool) {
	box := s.Actions[index].Box
	total := 1
	for _, x := range box {
		if total *= boxid.Points(x.Period, points); total > most {
			return nil, false
		}
	}
	if total > most {
		return nil, false
	}
	u := make([]float64, len(box))
	for n := range total {
		for i, k := len(box)-1, n; i >= 0; i-- {
			x := box[i]
			on := boxid.Points(x.Period, points)
			u[i] = x.Min + (x.Max-x.Min)*(float64(k%on)/float64(points-1))
			k /= on
		}
		id, err := s.ActionID(index, u)
		if err != nil { // Max by rounding
			return nil, false
		}
		ids = append(ids, id)
	}
	return ids, true
}

// discretised is a model whose actions are some of those of the inner one.
type discretised struct {
	inner  Model
	moves  SparseLatent // of the inner model, nil if it has none
	points int
	ids    []int // by action: its id in the inner model
	spec   Spec

	innerSpec Spec
}

// listedDiscretised is a discretised that lists the successors of a state.
type listedDiscretised struct {
	discretised
	list Enumerator
}

// numberedDiscretised is a discretised whose states are numbered.
type numberedDiscretised struct {
	listedDiscretised
	states Finite
}

var (
	_ SparseLatent    = (*discretised)(nil)
	_ StartLikelihood = (*discretised)(nil)
	_ ReturnRange     = (*discretised)(nil)
	_ HorizonKeeper   = (*discretised)(nil)
	_ Enumerator      = (*listedDiscretised)(nil)
	_ FinerLister     = (*listedDiscretised)(nil)
	_ Finite          = (*numberedDiscretised)(nil)
)

// Spec implements Model.
func (m *discretised) Spec() Spec { return m.spec }

// Prior implements Model.
func (m *discretised) Prior(b Belief) { m.inner.Prior(b) }

// Start implements Model.
func (m *discretised) Start(s []float64, latent int, rng *rand.Rand) { m.inner.Start(s, latent, rng) }

// Step implements Model.
func (m *discretised) Step(next, s []float64, latent, action int, rng *rand.Rand) Outcome {
	return m.inner.Step(next, s, latent, m.ids[action], rng)
}

// LogLikelihood implements Model.
func (m *discretised) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	return m.inner.LogLikelihood(s, m.ids[action], next, latent)
}

// StartLogLikelihood implements StartLikelihood.
func (m *discretised) StartLogLikelihood(s []float64, latent int) float64 {
	if l, ok := m.inner.(StartLikelihood); ok {
		return l.StartLogLikelihood(s, latent)
	}
	return 0
}

// LatentKind implements LatentDynamics.
func (m *discretised) LatentKind() LatentKind { return KindOf(m.inner) }

// LatentTransition implements LatentDynamics.
func (m *discretised) LatentTransition(p []float64, s []float64, action, latent int) bool {
	d, ok := m.inner.(LatentDynamics)
	return ok && d.LatentTransition(p, s, m.ids[action], latent)
}

// IsSparse reports whether the inner model is a SparseLatent.
func (m *discretised) IsSparse() bool { return m.moves != nil }

// LatentMoves implements SparseLatent.
func (m *discretised) LatentMoves(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64) {
	return m.moves.LatentMoves(to, share, s, m.ids[action], latent)
}

// ReturnRange implements ReturnRange.
func (m *discretised) ReturnRange() (lo, hi float64) { return returnRange(m.inner, m.spec) }

// KeepsHorizon implements HorizonKeeper.
func (m *discretised) KeepsHorizon() bool {
	k, ok := m.inner.(HorizonKeeper)
	return ok && k.KeepsHorizon()
}

// Starts implements Enumerator.
func (m *listedDiscretised) Starts(z *Successors) { m.list.Starts(z) }

// Successors implements Enumerator.
func (m *listedDiscretised) Successors(z *Successors, s []float64, action int) {
	m.list.Successors(z, s, m.ids[action])
}

// FinerList implements FinerLister.
func (m *listedDiscretised) FinerList() Enumerator {
	finer := finerList(m.list)
	if finer == nil {
		return nil
	}
	d := m.discretised
	d.inner = finer
	return &listedDiscretised{d, finer}
}

// NumStates implements Finite.
func (m *numberedDiscretised) NumStates() int { return m.states.NumStates() }

// StateAt implements Finite.
func (m *numberedDiscretised) StateAt(s []float64, number int) { m.states.StateAt(s, number) }

// StateIndex implements Finite.
func (m *numberedDiscretised) StateIndex(s []float64) int { return m.states.StateIndex(s) }

// ControlsOf returns what Discretised has made m of, with or without the steps left added since:
// the model with the boxes, the points on each axis of a Box, and the id there of each action of
// m. behind is nil where m is another model.
func ControlsOf(m Model) (behind Model, points int, ids []int) {
	d := discretisedOf(m)
	if d == nil {
		return nil, 0, nil
	}
	return d.inner, d.points, d.ids
}

// discretisedOf returns m, without the steps left if it has them, as a discretised, or nil
// if it is none.
func discretisedOf(m Model) *discretised {
	if h := finiteHorizonOf(m); h != nil {
		m = h.inner
	}
	switch d := m.(type) {
	case *discretised:
		return d
	case *listedDiscretised:
		return &d.discretised
	case *numberedDiscretised:
		return &d.discretised
	}
	return nil
}
