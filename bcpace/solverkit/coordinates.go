package solverkit

import (
	"math"
	"strconv"

	"bayescpace/bcpace"
)

// Coordinate is a number of the state whose mean says something: the value on an axis or,
// where that comes again after a Period, the cosine or the sine of its angle.
type Coordinate struct {
	Name      string
	Axis      int
	Width     float64 // of its range
	turn      float64 // radians per unit of the axis, 0 where the value itself is meant
	from, lag float64 // the angle is turn·(x − from) − lag
}

// CoordinatesOf returns the coordinates of the states of a model.
func CoordinatesOf(spec bcpace.Spec) []Coordinate {
	var all []Coordinate
	for i, a := range spec.Axes {
		name := strconv.Quote(a.Name)
		if a.Period == 0 {
			all = append(all, Coordinate{Name: name, Axis: i, Width: a.Max - a.Min})
			continue
		}
		turn := 2 * math.Pi / a.Period
		all = append(all, Coordinate{Name: "the cosine of " + name, Axis: i, Width: 2, turn: turn, from: a.Min},
			Coordinate{Name: "the sine of " + name, Axis: i, Width: 2, turn: turn, from: a.Min, lag: math.Pi / 2})
	}
	return all
}

// Of returns the coordinate of s.
func (c *Coordinate) Of(s []float64) float64 {
	if c.turn == 0 {
		return s[c.Axis]
	}
	return math.Cos(c.turn*(s[c.Axis]-c.from) - c.lag)
}
