package check

import (
	"math"
	"strconv"

	"bayescpace/bcpace"
)

// coordinate is a number of the state whose mean says something: the value on an axis or,
// where that comes again after a Period, the cosine or the sine of its angle.
type coordinate struct {
	name      string
	axis      int
	width     float64 // of its range
	turn      float64 // radians per unit of the axis, 0 where the value itself is meant
	from, lag float64 // the angle is turn·(x − from) − lag
}

// coordinatesOf returns the coordinates of the states of a model.
func coordinatesOf(spec bcpace.Spec) []coordinate {
	var all []coordinate
	for i, a := range spec.Axes {
		name := strconv.Quote(a.Name)
		if a.Period == 0 {
			all = append(all, coordinate{name: name, axis: i, width: a.Max - a.Min})
			continue
		}
		turn := 2 * math.Pi / a.Period
		all = append(all, coordinate{name: "the cosine of " + name, axis: i, width: 2, turn: turn, from: a.Min},
			coordinate{name: "the sine of " + name, axis: i, width: 2, turn: turn, from: a.Min, lag: math.Pi / 2})
	}
	return all
}

// of returns the coordinate of s.
func (c *coordinate) of(s []float64) float64 {
	if c.turn == 0 {
		return s[c.axis]
	}
	return math.Cos(c.turn*(s[c.axis]-c.from) - c.lag)
}
