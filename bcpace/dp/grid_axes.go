package dp

import (
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/grid"
)

const (
	defaultGridPoints = 1 << 16
	defaultGridCells  = 48
)

// Grid returns the axes of a grid over a model of that description: for one or two axes
// that are neither discrete nor left out, those that SolveGrid takes, and with more of
// them, those of about MaxPoints points that are equally far apart on all axes, in units
// of the metric. For errors see SolveGrid.
func (o GridOptions) Grid(spec bcpace.Spec) ([]GridAxis, error) {
	bad := bcpace.In("grid options").Bad
	limit := o.MaxPoints
	if limit == 0 {
		limit = defaultGridPoints
	}
	if limit < 1 {
		return nil, bad("MaxPoints", o.MaxPoints, "a number of grid points, or 0 for 65,536")
	}
	lengths := metricLengths(spec)
	longest, n := slices.Max(append(lengths, 0)), between(spec)
	if n > grid.MaxAxes {
		return nil, &bcpace.UnsupportedError{Model: spec.Name, Algorithm: "SolveGrid",
			Need: fmt.Sprintf("at most %d axes that are not discrete, not %d: a grid grows as a power of them. Give those that matter to nothing the Scale +Inf, or have the model give values of its own (LatentValues, or ValueBounds for a search between bounds)", grid.MaxAxes, n)}
	}
	if o.Step != 0 {
		if !(o.Step > 0) || math.IsInf(o.Step, 1) {
			return nil, bad("Step", o.Step, "a positive distance between grid points, or 0 for the default")
		}
		axes, points := gridAxes(spec, o.Step)
		if points > float64(limit) {
			return nil, bad("Step", o.Step, fmt.Sprintf("a larger one (it makes %.0f points), or MaxPoints above %d", points, limit))
		}
		return axes, nil
	}
	if n > grid.FewAxes {
		axes, points := spreadAxes(spec, lengths, limit)
		if points > float64(limit) {
			return nil, bad("MaxPoints", limit, fmt.Sprintf("at least %.0f, the number of points of the coarsest grid", points))
		}
		return axes, nil
	}
	step := 1.0
	if longest > 0 {
		step = math.Exp2(math.Floor(math.Log2(longest / defaultGridCells)))
	}
	for {
		axes, points := gridAxes(spec, step)
		if points <= float64(limit) {
			return axes, nil
		}
		if !(step < longest) { // one cell on every axis, and still too many
			return nil, bad("MaxPoints", limit, fmt.Sprintf("at least %.0f, the number of points of the coarsest grid", points))
		}
		step *= 2
	}
}

// metricLengths returns the length of every axis in units of the metric, 0 where it is
// discrete or left out.
func metricLengths(spec bcpace.Spec) []float64 {
	lengths := make([]float64, len(spec.Axes))
	for i, a := range spec.Axes {
		if !a.Discrete && !math.IsInf(a.Scale, 1) && a.Max > a.Min {
			lengths[i] = (a.Max - a.Min) / a.MetricUnit()
		}
	}
	return lengths
}

// gridAxes returns the grid of a step, in units of the metric, and the number
// of its points, a float64 since it may be anything.
func gridAxes(spec bcpace.Spec, step float64) ([]GridAxis, float64) {
	axes := make([]GridAxis, len(spec.Axes))
	points := 1.0
	for i, a := range spec.Axes {
		x := GridAxis{Min: a.Min, Step: 1, Points: 1, Discrete: a.Discrete}
		cells := 0.0
		switch {
		case math.IsInf(a.Scale, 1) || a.Max == a.Min:
		case a.Discrete:
			cells = math.Floor(a.Max - a.Min)
		default:
			// A hair's breadth of rounding must not add a cell.
			cells = max(1, math.Ceil((a.Max-a.Min)/(step*a.MetricUnit())-1e-9))
			if x.Wraps = a.Period > 0; x.Wraps {
				cells = max(2, cells) // one point would leave the axis out
			}
			x.Step = (a.Max - a.Min) / cells
			if x.Wraps {
				cells-- // the last point is the first
			}
		}
		points *= cells + 1
		if cells < math.MaxInt32 {
			x.Points = int(cells) + 1
		}
		axes[i] = x
	}
	return axes, points
}

// spreadAxes returns a grid whose cells on the axes that are neither discrete nor left out
// are as many in proportion to need as whole numbers and limit, the most points, allow;
// and the number of its points, which exceeds limit where the coarsest grid does. An axis
// has one cell or an even number of them, so that its middle is a point: there the goals of
// many a model are, and the values have their peak.
func spreadAxes(spec bcpace.Spec, need []float64, limit int) ([]GridAxis, float64) {
	axes := make([]GridAxis, len(spec.Axes))
	var open []int
	points := 1.0
	for i, a := range spec.Axes {
		axes[i] = GridAxis{Min: a.Min, Step: 1, Points: 1, Discrete: a.Discrete}
		switch {
		case math.IsInf(a.Scale, 1) || a.Max == a.Min:
		case a.Discrete:
			n := math.Floor(a.Max-a.Min) + 1
			points *= n
			axes[i].Points = int(min(n, math.MaxInt32))
		default:
			open = append(open, i)
			axes[i].Points = 2
			if axes[i].Wraps = a.Period > 0; axes[i].Wraps {
				axes[i].Points = leastRound
			}
			points *= float64(axes[i].Points)
		}
	}
	for {
		next, most, after := -1, math.Inf(-1), 0.0
		for _, i := range open {
			more := points / float64(axes[i].Points) * float64(axes[i].Points+moreCells(axes[i]))
			if x := need[i] / axes[i].Cells(); x > most && more <= float64(limit)+0.5 {
				next, most, after = i, x, math.Round(more)
			}
		}
		if next < 0 {
			break
		}
		axes[next].Points += moreCells(axes[next])
		points = after
	}
	for _, i := range open {
		axes[i].Step = (spec.Axes[i].Max - spec.Axes[i].Min) / axes[i].Cells()
	}
	return axes, points
}

// leastRound is the least number of points of an axis that wraps: with fewer than three,
// the two ways round are one.
const leastRound = 4

// moreCells returns by how many cells the next finer axis has more.
func moreCells(a GridAxis) int {
	if a.Cells() == 1 {
		return 1
	}
	return 2
}

// NewGrid returns the grid with those axes in the box of spec.
func NewGrid(spec bcpace.Spec, axes []GridAxis) grid.Grid {
	fixed, top := make([]float64, len(axes)), make([]float64, len(axes))
	for i, a := range spec.Axes {
		fixed[i], top[i] = a.Min, a.Max
	}
	return grid.New(axes, fixed, top)
}
