package hidden

import (
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
)

// CellAxis is an axis in cells of equal width.
type CellAxis struct {
	Min, Max, Width float64
	Cells           int
	Whole           bool // a cell has one value, that of its middle
	Wraps           bool
}

// NewCellAxis returns an axis in so many cells, or one for each whole number.
func NewCellAxis(a bcpace.Axis, cells int) CellAxis {
	g := CellAxis{Min: a.Min, Max: a.Max, Cells: cells, Wraps: a.Period > 0}
	if a.Whole() {
		g.Min, g.Max, g.Cells, g.Whole = a.Min-0.5, a.Max+0.5, int(a.Max-a.Min)+1, true
	} else if a.Min == a.Max {
		g.Cells, g.Whole = 1, true
	}
	g.Width = (g.Max - g.Min) / float64(g.Cells)
	return g
}

// Cell returns the cell of a value.
func (a *CellAxis) Cell(x float64) int {
	if a.Width == 0 {
		return 0
	}
	return a.place(int(math.Floor(min(max((x-a.Min)/a.Width, -1e9), 1e9))))
}

// place returns the cell of that number, which may be beyond the ends.
func (a *CellAxis) place(k int) int {
	if a.Wraps {
		return ((k % a.Cells) + a.Cells) % a.Cells
	}
	return min(max(k, 0), a.Cells-1)
}

// manyDeviates are the deviations beyond which a normal distribution has nothing.
const manyDeviates = 8

// Spread adds a share of a normal distribution to the cells that it reaches.
func (a *CellAxis) Spread(to []float64, mean, deviation, share float64) {
	if a.Cells == 1 || deviation <= 1e-9*a.Width {
		to[a.Cell(mean)] += share
		return
	}
	first, last := math.Floor((mean-manyDeviates*deviation-a.Min)/a.Width), math.Floor((mean+manyDeviates*deviation-a.Min)/a.Width)
	if !a.Wraps {
		first, last = min(max(first, 0), float64(a.Cells-1)), min(max(last, 0), float64(a.Cells-1))
	} else if last-first > float64(8*a.Cells) { // all values are as likely
		for k := range to {
			to[k] += share / float64(a.Cells)
		}
		return
	}
	below := 0.0
	for k := first; k <= last; k++ {
		upTo := 1.0
		if k < last {
			upTo = normalCDF((a.Min + (k+1)*a.Width - mean) / deviation)
		}
		to[a.place(int(k))] += share * (upTo - below)
		below = upTo
	}
}

// normalCDF is the distribution function of the standard normal distribution.
func normalCDF(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// Cells are axes in cells, for a belief on a grid and for lists in the place of real numbers. Of the cells, the last axis changes fastest.
type Cells []CellAxis

// Cell returns the cell of a vector.
func (c Cells) Cell(x []float64) (cell int) {
	for j := range c {
		cell = cell*c[j].Cells + c[j].Cell(x[j])
	}
	return cell
}

// Middle sets x to the middle of a cell.
func (c Cells) Middle(x []float64, cell int) {
	for j, a := range slices.Backward(c) {
		x[j] = a.Min + (float64(cell%a.Cells)+0.5)*a.Width
		cell /= a.Cells
	}
}

// Jitter moves x from the middle of a cell to an equally likely place within it.
func (c Cells) Jitter(x []float64, rng *rand.Rand) {
	for j, a := range c {
		if !a.Whole {
			x[j] = min(max(x[j]+(rng.Float64()-0.5)*a.Width, a.Min), a.Max)
		}
	}
}
