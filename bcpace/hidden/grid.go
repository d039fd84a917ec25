package hidden

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
)

// Grid is a filter with a probability for each cell of a grid over one or two hidden axes, within which all values are
// equally likely (a point-mass or histogram filter; Bucy and Senne 1971). Whole numbers have a cell each.
//
// Where the model states its Gaussian and no axis has whole numbers, each cell gets its probabilities from the normal distribution, and is off by
// what a belief changes within a cell alone. Otherwise the prior is that of 65,536 draws, and each cell is moved by
// steps from points at equal distances within it: that is as exact where the hidden vector does not move or moves without noise.
// Numbers beyond an axis are put on its ends.
type Grid struct {
	// Cells are those on an axis without whole numbers. 0 means 200 if there is one hidden axis, and 50 on each of two.
	Cells int
}

const (
	maxCells    = 1 << 20
	gridDraws   = 1 << 16
	gridPoints  = 16 // in a cell; a square
	gaussPoints = 2  // in a cell, on an axis
	negligible  = 1e-14
)

// Begin implements Filter.
func (f Grid) Begin(m *Model, s []float64, rng *rand.Rand) (_ Belief, err error) {
	defer m.Spec.Guard(&err, "Prior or StartLogDensity", s, -1, -1)
	dim := len(m.Spec.Hidden)
	if dim > 2 {
		return nil, &bcpace.UnsupportedError{Model: m.Spec.Name, Algorithm: "a grid", Need: fmt.Sprintf("one or two hidden axes; there are %d. Particles take any number", dim)}
	}
	if m.LogDensity == nil {
		return nil, &bcpace.UnsupportedError{Model: m.Spec.Name, Algorithm: "a grid", Need: "Model.LogDensity"}
	}
	b := &GridBelief{model: m, gaussian: m.Gaussian}
	total := 1
	for _, a := range m.Spec.Hidden {
		if a.Whole() {
			b.gaussian = nil
		}
		g := NewCellAxis(a, cmp.Or(f.Cells, []int{200, 50}[dim-1]))
		if g.Cells < 1 || g.Cells > maxCells || total*g.Cells > maxCells {
			return nil, bcpace.In("options").Bad("Cells", f.Cells, fmt.Sprintf("a number of cells, such that there are %d at most, or 0 for the default", maxCells))
		}
		total *= g.Cells
		b.axes = append(b.axes, g)
	}
	b.prob, b.sum, b.moved = make([]float64, total), make([]float64, total), make([]float64, total)
	b.centre()
	return b, b.begin(s, rng)
}

// GridBelief is a probability for each cell of a grid. Its points are the middles of cells.
type GridBelief struct {
	model    *Model
	gaussian *Gaussian // nil where it is of no use
	axes     Cells
	prob     []float64 // by cell, of which the last axis changes fastest
	sum      []float64 // cumulated
	centres  []float64

	moved []float64 // room for prob
	logs  []float64 // room for weigh
	rows  []float64 // room for addNormal
	steps []gridStep
}

// gridStep is a step from a point in a cell.
type gridStep struct {
	to   int
	prob float64
	log  float64 // of the density
}

var _ Weighted = (*GridBelief)(nil)

// centre sets the middles of cells.
func (b *GridBelief) centre() {
	b.centres = make([]float64, 0, len(b.prob)*len(b.axes))
	x := make([]float64, len(b.axes))
	for i := range b.prob {
		b.axes.Middle(x, i)
		b.centres = append(b.centres, x...)
	}
}

// Len implements Weighted.
func (b *GridBelief) Len() int { return len(b.prob) }

// At implements Weighted.
func (b *GridBelief) At(i int) (x []float64, weight float64) {
	dim := len(b.axes)
	return b.centres[i*dim : (i+1)*dim : (i+1)*dim], b.prob[i]
}

// Draw implements Belief.
func (b *GridBelief) Draw(x []float64, rng *rand.Rand) {
	centre, _ := b.At(pick(b.sum, rng.Float64()))
	copy(x, centre)
	b.axes.Jitter(x, rng)
}

// Moments implements Belief.
func (b *GridBelief) Moments(mean, variance []float64) {
	moments(b, mean, variance)
	for j, a := range b.axes {
		if !a.Whole {
			variance[j] += a.Width * a.Width / 12
		}
	}
}

// Clone implements Belief.
func (b *GridBelief) Clone() Belief {
	c := *b
	c.prob, c.sum, c.moved, c.steps = slices.Clone(b.prob), slices.Clone(b.sum), make([]float64, len(b.prob)), nil
	c.logs, c.rows = nil, nil
	return &c
}

// point fills x with point k of a cell that has n on each axis without whole numbers.
func (b *GridBelief) point(x []float64, cell, k, n int) {
	centre, _ := b.At(cell)
	for j, a := range b.axes {
		x[j] = centre[j]
		if !a.Whole {
			x[j] += ((float64(k%n)+0.5)/float64(n) - 0.5) * a.Width
			k /= n
		}
	}
}

// pointsOf returns the number of points in a cell with n on each axis that has no whole numbers.
func (b *GridBelief) pointsOf(n int) (points int) {
	points = 1
	for _, a := range b.axes {
		if !a.Whole {
			points *= n
		}
	}
	return points
}

// begin sets the probabilities of the prior, and weighs them by the first state.
func (b *GridBelief) begin(s []float64, rng *rand.Rand) error {
	m := b.model
	x := make([]float64, len(b.axes))
	if g := b.gaussian; g != nil {
		b.addNormal(b.prob, g.Mean, g.Deviation, 1)
	} else {
		for range gridDraws {
			m.Prior(x, rng)
			if err := m.CheckHidden(x, s, -1); err != nil {
				return err
			}
			b.prob[b.axes.Cell(x)]++
		}
	}
	if m.StartLogDensity == nil {
		b.normalise()
		return nil
	}
	if err := b.weigh(func(x []float64) (float64, error) { return m.weighStart(s, x) }); err != nil {
		return err
	}
	if !b.normalise() {
		return &ImpossibleError{Model: m.Spec.Name, Next: slices.Clone(s), Action: "none, the start", Tried: len(b.prob)}
	}
	return nil
}

// addNormal adds a share of a normal distribution, of independent axes, to cells.
func (b *GridBelief) addNormal(to, mean, deviation []float64, share float64) {
	if len(b.axes) == 1 {
		b.axes[0].Spread(to, mean[0], deviation[0], share)
		return
	}
	n := b.axes[1].Cells
	b.rows = slices.Grow(b.rows[:0], b.axes[0].Cells+n)[:b.axes[0].Cells+n]
	clear(b.rows)
	rows, columns := b.rows[:b.axes[0].Cells], b.rows[b.axes[0].Cells:]
	b.axes[0].Spread(rows, mean[0], deviation[0], share)
	b.axes[1].Spread(columns, mean[1], deviation[1], 1)
	for i, p := range rows {
		if p == 0 {
			continue
		}
		for j, q := range columns {
			to[i*n+j] += p * q
		}
	}
}

// normalise divides the probabilities by their sum and cumulates them. It reports false, and makes all cells equal, where that is 0.
func (b *GridBelief) normalise() bool {
	total := num.Sum(b.prob)
	if total > 0 {
		accumulate(b.prob, b.sum, total)
	} else {
		even(b.prob, b.sum)
	}
	return total > 0
}

// weigh multiplies each probability by the mean of a density in the cell, whose logarithm density returns. Where that
// is 0 in all cells, it leaves none.
func (b *GridBelief) weigh(density func(x []float64) (float64, error)) error {
	points := b.pointsOf(gaussPoints)
	b.logs = slices.Grow(b.logs[:0], len(b.prob)*points)[:len(b.prob)*points]
	top, x := math.Inf(-1), make([]float64, len(b.axes))
	for i, p := range b.prob {
		for k := range points {
			l := &b.logs[i*points+k]
			if *l = math.Inf(-1); p == 0 {
				continue
			}
			b.point(x, i, k, gaussPoints)
			var err error
			if *l, err = density(x); err != nil {
				return err
			}
			top = max(top, *l)
		}
	}
	for i := range b.prob {
		sum := 0.0
		for _, l := range b.logs[i*points : (i+1)*points] {
			if !math.IsInf(top, -1) {
				sum += math.Exp(l-top) / float64(points)
			}
		}
		b.prob[i] *= sum
	}
	return nil
}

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
