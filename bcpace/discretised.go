package bcpace

import (
	"cmp"
	"fmt"
	"strconv"

	"bayescpace/bcpace/internal/num"
)

// maxDiscretised bounds the number of actions of Discretised.
const maxDiscretised = 1 << 16

// Discretised returns m with a list of actions in the place of boxes: each Box becomes so many points
// on each axis, at equal distances from Min to Max, of which the last is the first on an axis with a
// Period; and an action without a Box stays. Its policies are policies of m, see ForPolicy, and its
// optimal value is at most that of m. 0 points mean 33 for a Box of one axis, 9 for each of two and 5
// for each of three; where no action has a Box they mean m itself. The model is an Enumerator if m is
// one, and a Finite if m is. The error is an *InputError for other points without a Box, for 1 or
// fewer, and for more than 65,536 actions.
func Discretised(m Model, points int) (Model, error) {
	if err := Validate(m); err != nil {
		return nil, err
	}
	spec := m.Spec()
	bad := In("discretised actions of model " + strconv.Quote(spec.Name)).Bad
	if !spec.HasBox() {
		if can := AbilitiesOf(m); points != 0 && (can.Behind == nil || points != can.Points) {
			return nil, bad("points", points, "0, as no action has a Box")
		}
		return m, nil
	}
	points = cmp.Or(points, spec.defaultPoints())
	if points < 2 {
		return nil, bad("points", points, "at least 2 for each axis, or 0 for the default")
	}
	var all []int
	var actions []Action
	for index, a := range spec.Actions {
		ids, ok := spec.boxPoints(index, points, maxDiscretised-len(all))
		if !ok {
			return nil, bad("points", points, fmt.Sprintf("so few that there are %d actions at most", maxDiscretised))
		}
		all = append(all, ids...)
		for _, id := range ids {
			if a.Box != nil {
				actions = append(actions, Action{Name: spec.ActionName(id)})
			} else {
				actions = append(actions, a)
			}
		}
	}
	return derive(m, func(m Model, a *Abilities) {
		a.Spec.Actions, a.Behind, a.Points, a.IDs = actions, m, points, all
		a.onActions(m, all)
		a.asSaved()
	}), nil
}

// defaultPoints returns the number of points for each axis of a Box if the user gives none.
func (s *Spec) defaultPoints() int {
	axes := 0
	for _, a := range s.Actions {
		axes = max(axes, len(a.Box))
	}
	return [...]int{2, 33, 9, 5}[axes]
}

// boxPoints returns the ids of so many points on each axis of the Box of an action. ok is
// false if they are more than most.
func (s *Spec) boxPoints(index, points, most int) (ids []int, ok bool) {
	box := s.Actions[index].Box
	total := 1
	for _, x := range box {
		if total *= num.BoxPoints(x.Period, points); total > most {
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
			on := num.BoxPoints(x.Period, points)
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
