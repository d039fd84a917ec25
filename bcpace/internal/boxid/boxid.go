// Package boxid codes controls as numbers: the id of an action of which Spec.Actions has a Box.
package boxid

// The id of an action with a Box has these bits:
//
//	62      1, so that no such id is an index of Spec.Actions
//	57–61   the index in Spec.Actions
//	19·i …  the place on axis i of the Box, from 0 to Steps, for i = 0, 1, 2
//
// Place j of an axis is Min + (Max − Min)·j/Steps, see At.
const (
	Steps   = 1 << 18
	bits    = 19
	MaxAxes = 3
	shift   = MaxAxes * bits
	// Most is how many entries Spec.Actions has at most where one has a Box.
	Most = 32
	// First is the least id of an action with a Box.
	First = 1 << 62
)

// Of returns the id of the action of that index with all places at 0.
func Of(index int) int { return First | index<<shift }

// With returns an id whose place on axis i is 0 with another place there.
func With(id, i, place int) int { return id | place<<(i*bits) }

// Place returns the place on axis i of an id.
func Place(id, i int) int { return id >> (i * bits) & (1<<bits - 1) }

// Index returns the index in Spec.Actions of an action with that id.
func Index(id int) int {
	if id < First {
		return id
	}
	return id >> shift & (Most - 1)
}

// IsFlat reports whether an id has place 0 on every axis from number axes on.
func IsFlat(id, axes int) bool {
	return axes >= MaxAxes || id&(1<<shift-1)>>(axes*bits) == 0
}

// At returns the number at a place of an axis from lo to hi.
func At(lo, hi float64, place int) float64 { return lo + (hi-lo)*(float64(place)/Steps) }

// Points returns how many of so many points at equal distances, the first and the last of them
// at the ends of an axis, are different ones: on a circle those two are one.
func Points(period float64, points int) int {
	if period > 0 {
		return points - 1
	}
	return points
}
