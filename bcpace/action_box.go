package bcpace

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"bayescpace/bcpace/internal/num"
)

// HasBox reports whether some action has a Box.
func (s *Spec) HasBox() bool {
	return slices.ContainsFunc(s.Actions, func(a Action) bool { return a.Box != nil })
}

// ActionID returns the id of an action: its index, or with a Box that of the place next to control u,
// which has an entry for each axis of the Box. On each axis ids stand for 262,145 places at equal
// distances, from Min to Max. The error is an *InputError for an index out of range and for a control
// outside of the box; on an axis with a Period every number is inside.
func (s *Spec) ActionID(index int, u []float64) (id int, err error) {
	if index < 0 || index >= len(s.Actions) {
		return -1, s.in().Bad("the index of an action", index, fmt.Sprintf("one from 0 to %d", len(s.Actions)-1))
	}
	box := s.Actions[index].Box
	if len(u) != len(box) {
		return -1, s.in().Bad("the control of action "+strconv.Quote(s.Actions[index].Name), fmt.Sprintf("%v, %d long", u, len(u)), fmt.Sprintf("%d, one entry for each axis of its Box", len(box)))
	}
	if box == nil {
		return index, nil
	}
	id = num.BoxID(index)
	for i, x := range box {
		v := x.Wrap(u[i])
		if !(v >= x.Min && v <= x.Max) {
			return -1, s.in().Bad("the "+x.Name+" of action "+strconv.Quote(s.Actions[index].Name), u[i], fmt.Sprintf("a number within [%v, %v]", x.Min, x.Max))
		}
		place := int(math.Round((v - x.Min) / (x.Max - x.Min) * num.BoxSteps))
		id = num.WithBoxPlace(id, i, place%num.BoxPoints(x.Period, num.BoxSteps+1))
	}
	return id, nil
}

// Control writes the control of the action of that id to u, or to a new slice if u has no room, and
// returns the action's index in Spec.Actions, −1 if no action has this id, and the control, nil
// without a Box.
func (s *Spec) Control(u []float64, id int) (index int, control []float64) {
	if id < num.FirstBox {
		if id < 0 || id >= len(s.Actions) || s.Actions[id].Box != nil {
			return -1, nil
		}
		return id, nil
	}
	index = num.BoxIndex(id)
	if index >= len(s.Actions) || s.Actions[index].Box == nil {
		return -1, nil
	}
	box := s.Actions[index].Box
	if cap(u) < len(box) {
		u = make([]float64, len(box))
	}
	u = u[:len(box)]
	for i, x := range box {
		place := num.BoxPlace(id, i)
		if place >= num.BoxPoints(x.Period, num.BoxSteps+1) {
			return -1, nil
		}
		u[i] = num.BoxAt(x.Min, x.Max, place)
	}
	if !num.IsFlatBox(id, len(box)) {
		return -1, nil
	}
	return index, u
}

// IsAction reports whether an action has this id.
func (s *Spec) IsAction(id int) bool {
	var u [num.MaxBoxAxes]float64
	index, _ := s.Control(u[:], id)
	return index >= 0
}

// DrawAction draws an action with equal probability and, in a Box, a place with equal probability.
func (s *Spec) DrawAction(rng *rand.Rand) int {
	index := rng.IntN(len(s.Actions))
	box := s.Actions[index].Box
	if box == nil {
		return index
	}
	id := num.BoxID(index)
	for i, x := range box {
		id = num.WithBoxPlace(id, i, rng.IntN(num.BoxPoints(x.Period, num.BoxSteps+1)))
	}
	return id
}

// CornerActions returns the ids of actions, at corners and middles of boxes.
func (s *Spec) CornerActions() (ids []int) {
	for index, a := range s.Actions {
		if a.Box == nil {
			ids = append(ids, index)
			continue
		}
		u := make([]float64, len(a.Box))
		for corner := range 1<<len(a.Box) + 1 {
			for i, x := range a.Box {
				switch {
				case corner == 1<<len(a.Box):
					u[i] = x.Min/2 + x.Max/2
				case corner>>i&1 == 0:
					u[i] = x.Min
				default:
					u[i] = x.Max
				}
			}
			if id, err := s.ActionID(index, u); err == nil && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// ActionName returns the name of the action of that id, with its control if it has one, such as
// "push(force=0.5)".
func (s *Spec) ActionName(id int) string {
	var v [num.MaxBoxAxes]float64
	index, u := s.Control(v[:], id)
	if index < 0 {
		return "no action"
	}
	a := &s.Actions[index]
	if a.Box == nil {
		return a.Name
	}
	values := make([]string, len(u))
	for i, x := range a.Box {
		values[i] = fmt.Sprintf("%s=%.4g", x.Name, u[i])
	}
	return a.Name + "(" + strings.Join(values, ", ") + ")"
}

// WantAction says which ids are actions, for InputError.Want.
func (s *Spec) WantAction() string {
	if s.HasBox() {
		return "an id that ActionID returns"
	}
	return fmt.Sprintf("an id from 0 to %d", len(s.Actions)-1)
}

// decoder calls functions of controls with ids.
type decoder struct {
	spec Spec
	pool sync.Pool // of *[num.MaxBoxAxes]float64
}

func newDecoder(spec Spec) *decoder {
	return &decoder{spec: spec, pool: sync.Pool{New: func() any { return new([num.MaxBoxAxes]float64) }}}
}

// with calls f with the index and the control of an action.
func (d *decoder) with(id int, f func(index int, u []float64)) {
	v := d.pool.Get().(*[num.MaxBoxAxes]float64)
	index, u := d.spec.Control(v[:], id)
	if index < 0 {
		panic(fmt.Sprintf("action %d, want %s", id, d.spec.WantAction()))
	}
	f(index, u)
	d.pool.Put(v)
}

// checkBoxes checks the boxes of the actions.
func (s *Spec) checkBoxes() error {
	in := s.in()
	if !s.HasBox() {
		return nil
	}
	if len(s.Actions) > num.MostBoxes {
		return in.Bad("Spec.Actions beside one with a Box", len(s.Actions), fmt.Sprintf("%d at most", num.MostBoxes))
	}
	for _, a := range s.Actions {
		if a.Box != nil && (len(a.Box) == 0 || len(a.Box) > num.MaxBoxAxes) {
			return in.Bad("Box of action "+strconv.Quote(a.Name), fmt.Sprintf("%d axes", len(a.Box)), fmt.Sprintf("1 to %d axes, or nil for an action without a control", num.MaxBoxAxes))
		}
		for i, x := range a.Box {
			where := fmt.Sprintf("Box[%d] of action %s", i, strconv.Quote(a.Name))
			if err := cmp.Or(
				x.check(s.in(), where),
				in.Need(x.Min != x.Max, "Min, Max of "+where, fmt.Sprintf("%v, %v", x.Min, x.Max), "two numbers that differ: a control of one value is none"),
				in.Need(!x.Whole(), "Discrete, Labels of "+where, "set", "an axis of all numbers: whole ones are actions of their own"),
				in.Need(x.Max-x.Min > 1e-9*max(math.Abs(x.Min), math.Abs(x.Max)), "Min, Max of "+where, fmt.Sprintf("%v, %v", x.Min, x.Max), "two numbers that differ by more than rounding"),
				in.Need(!slices.ContainsFunc(a.Box[:i], func(y Axis) bool { return y.Name == x.Name }), "Name of "+where, strconv.Quote(x.Name), "another name than the axes before it have"),
				in.Need(!math.IsInf(x.Scale, 1), "Scale of "+where, x.Scale, "a positive length, or 0 for the default 1")); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxDiscretised bounds the number of actions of Discretised.
const maxDiscretised = 1 << 16

// Discretised returns m with a list of actions in the place of boxes: each Box becomes so many points on each axis, at equal
// distances from Min to Max, of which the last is the first on an axis with a Period; and an action without a Box stays. Its
// policies are policies of m, see ForPolicy, and its optimal value is at most that of m. 0 points mean 33 for a Box of one
// axis, 9 for each of two and 5 for each of three; where no action has a Box they mean m itself. The model is an Enumerator if
// m is one, and a Finite if m is. The error is an *InputError for other points without a Box, for 1 or fewer, and for more than
// 65,536 actions.
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
