package bcpace

import (
	"fmt"
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
		if d := controlsOf(m); points != 0 && (d == nil || points != d.points) {
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
	c, actions := controls{inner: m, spec: spec, points: points}, []Action(nil)
	for index, a := range spec.Actions {
		ids, ok := spec.boxPoints(index, points, maxDiscretised-len(c.ids))
		if !ok {
			return nil, bad("points", points, fmt.Sprintf("so few that there are %d actions at most", maxDiscretised))
		}
		c.ids = append(c.ids, ids...)
		for _, id := range ids {
			if a.Box != nil {
				actions = append(actions, Action{Name: spec.ActionName(id)})
			} else {
				actions = append(actions, a)
			}
		}
	}
	return Derive(m, func(m Model, a *Abilities) {
		of := c
		of.inner = m
		a.Spec.Actions, a.controls, a.countdown = actions, &of, nil
		a.onActions(m, c.ids)
	}), nil
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
	if h := countdownOf(m); h != nil {
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
	c := controlsOf(m)
	if _, numbered := asNumbered(m); numbered || c == nil {
		return nil
	}
	finer, err := Discretised(c.inner, 2*c.points-1)
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

// controls says what Discretised has made the actions of a model of.
type controls struct {
	inner  Model
	spec   Spec // of the inner model
	points int
	ids    []int // by action: its id in the inner model
}

// ControlsOf returns what Discretised has made m of, with or without the steps left added since:
// the model with the boxes, the points on each axis of a Box, and the id there of each action of
// m. behind is nil where m is another model.
func ControlsOf(m Model) (behind Model, points int, ids []int) {
	d := controlsOf(m)
	if d == nil {
		return nil, 0, nil
	}
	return d.inner, d.points, d.ids
}

// controlsOf returns what Discretised has made m of, with or without the steps left added since;
// nil where m is another model.
func controlsOf(m Model) *controls {
	if d := asDerived(m); d != nil {
		return d.can.controls
	}
	return nil
}
