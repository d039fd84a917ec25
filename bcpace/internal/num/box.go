package num

// The id of an action with a Box has these bits:
//
//	62      1, so that no such id is an index of Spec.Actions
//	57–61   the index in Spec.Actions
//	19·i …  the place on axis i of the Box, from 0 to BoxSteps, for i = 0, 1, 2
//
// Place j of an axis is Min + (Max − Min)·j/BoxSteps, see BoxAt.
const (
	BoxSteps   = 1 << 18
	placeBits  = 19
	MaxBoxAxes = 3
	indexShift = MaxBoxAxes * placeBits
	// MostBoxes is how many entries Spec.Actions has at most where one has a Box.
	MostBoxes = 32
	// FirstBox is the least id of an action with a Box.
	FirstBox = 1 << 62
)

// BoxID returns the id of the action of that index with all places at 0.
func BoxID(index int) int { return FirstBox | index<<indexShift }

// WithBoxPlace returns an id whose place on axis i is 0 with another place there.
func WithBoxPlace(id, i, place int) int { return id | place<<(i*placeBits) }

// BoxPlace returns the place on axis i of an id.
func BoxPlace(id, i int) int { return id >> (i * placeBits) & (1<<placeBits - 1) }

// BoxIndex returns the index in Spec.Actions of an action with that id.
func BoxIndex(id int) int {
	if id < FirstBox {
		return id
	}
	return id >> indexShift & (MostBoxes - 1)
}

// IsFlatBox reports whether an id has place 0 on every axis from number axes on.
func IsFlatBox(id, axes int) bool {
	return axes >= MaxBoxAxes || id&(1<<indexShift-1)>>(axes*placeBits) == 0
}

// BoxAt returns the number at a place of an axis from lo to hi.
func BoxAt(lo, hi float64, place int) float64 { return lo + (hi-lo)*(float64(place)/BoxSteps) }

// BoxPoints returns how many of so many points at equal distances, the first and the last of them
// at the ends of an axis, are different ones: on a circle those two are one.
func BoxPoints(period float64, points int) int {
	if period > 0 {
		return points - 1
	}
	return points
}
