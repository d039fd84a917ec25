// Package grid has regular grids of points in boxes, and interpolation between them.
package grid

import "math"

const (
	// MaxAxes bounds the axes between whose points is interpolated: the coarsest grid
	// has 2^axes points.
	MaxAxes = 12
	// MaxMultilinear is the most such axes of a grid that interpolates multilinearly,
	// between 2^axes points. With more it interpolates linearly on the simplices of
	// Kuhn's triangulation, between axes+1 points. The weights of both are not negative,
	// so that value iteration on either is monotone and a contraction. Simplices favour
	// the diagonal of a cell, which costs returns where values jump.
	MaxMultilinear = 5
	// FewAxes is the most such axes of a grid that is fine along all of them. With more
	// it is coarse, and its points go where values bend.
	FewAxes = 2
)

// Corners returns the most points around a place between so many axes.
func Corners(between int) int {
	if between > MaxMultilinear {
		return between + 1
	}
	return 1 << between
}

// RegularAxis places the points of an axis at Min + i·Step, i < Points. An axis of one
// point is left out: nothing depends on it.
type RegularAxis struct {
	Min, Step float64
	Points    int
	Discrete  bool // values between the points do not exist
	Wraps     bool // the first point comes a Step after the last one
}

// Cells returns the number of cells between the points.
func (a RegularAxis) Cells() float64 {
	if a.Wraps {
		return float64(a.Points)
	}
	return float64(a.Points - 1)
}

// Points returns the number of points of a grid with those axes.
func Points(axes []RegularAxis) int {
	n := 1
	for _, a := range axes {
		n *= a.Points
	}
	return n
}

// Between returns the number of axes between whose points a grid interpolates.
func Between(axes []RegularAxis) int { return len(between(axes)) }

// Grid is the product of its axes. The last axis runs fastest over the points.
type Grid struct {
	axes  []RegularAxis
	fixed []float64 // by axis: the value where the axis has one point
	top   []float64 // by axis: the largest value
}

// New returns a grid; fixed has, by axis, the value of every point where the axis has
// one point, and top the largest value of any, which the last point may exceed by rounding.
func New(axes []RegularAxis, fixed, top []float64) Grid { return Grid{axes, fixed, top} }

// Len returns the number of points.
func (g Grid) Len() int { return Points(g.axes) }

// At fills s with point i.
func (g Grid) At(s []float64, i int) {
	for k := len(g.axes) - 1; k >= 0; k-- {
		a := &g.axes[k]
		s[k] = g.fixed[k]
		if a.Points > 1 {
			s[k] = min(a.Min+float64(i%a.Points)*a.Step, g.top[k])
			i /= a.Points
		}
	}
}

// Interpolate appends to points and weights the points around s and their weights,
// which are not negative and sum to 1. It reports false where s is not on the grid.
func (g Grid) Interpolate(points []int32, weights, s []float64) ([]int32, []float64, bool) {
	var p Location
	if !g.Locate(&p, s) {
		return points, weights, false
	}
	for i := range p.Len() {
		point, w := p.At(i)
		points, weights = append(points, int32(point)), append(weights, w)
	}
	return points, weights, true
}

// Locate makes p the place of s. It reports false where s is not on the grid.
func (g Grid) Locate(p *Location, s []float64) bool { return p.Locate(g.axes, s) }

// Coarser returns axes of about twice the step; an axis with one cell stays.
func Coarser(axes []RegularAxis) []RegularAxis {
	c := make([]RegularAxis, len(axes))
	for i, a := range axes {
		if c[i] = a; a.Discrete || a.Points <= 2 {
			continue
		}
		if c[i].Points = a.Points/2 + 1; a.Wraps {
			c[i].Points = (a.Points + 1) / 2
		}
		c[i].Step = a.Cells() * a.Step / c[i].Cells()
	}
	return c
}

// Location is a place between the points of a grid: the points around it and their
// weights.
type Location struct {
	n       int // axes that lie between two points
	base    int // the point at the lower corner
	simplex bool
	axis    [MaxAxes]uint8 // number of the axis among those that are neither discrete nor left out, from the last on
	stride  [MaxAxes]int
	frac    [MaxAxes]float64 // how far along the cell, in (0, 1); the largest first in a simplex
}

// Split takes p apart: rest is p along all axes but those of a set, at its lower corner. Along those of the set, by the bits
// of AxisBits, it returns how far apart the points around p are and how far along p is, and writes over the lists that are given.
// In a simplex the set is empty.
func (p *Location) Split(set uint, stride []int32, frac []float64) (rest Location, _ []int32, _ []float64) {
	rest.base, rest.simplex = p.base, p.simplex
	stride, frac = stride[:0], frac[:0]
	for k, axis := range p.axis[:p.n] {
		if set>>axis&1 == 1 {
			stride, frac = append(stride, int32(p.stride[k])), append(frac, p.frac[k])
			continue
		}
		rest.axis[rest.n], rest.stride[rest.n], rest.frac[rest.n] = axis, p.stride[k], p.frac[k]
		rest.n++
	}
	return rest, stride, frac
}

// AxisBits returns a bit for each axis between whose points a grid interpolates, another one for all that are discrete, and 0 for axes
// that are left out.
func (g Grid) AxisBits() []uint {
	bits := make([]uint, len(g.axes))
	for i, a := range g.axes {
		if a.Discrete && a.Points > 1 {
			bits[i] = 1 << MaxAxes
		}
	}
	for k, i := range between(g.axes) {
		bits[i] = 1 << k
	}
	return bits
}

// slack is how far outside an axis, as a part of a step, a place may lie by
// rounding, and how close to a point it counts as on it.
const slack = 1e-9

// Locate makes p the place of s. It reports false where s is not on the grid.
func (p *Location) Locate(axes []RegularAxis, s []float64) bool {
	p.n, p.base = 0, 0
	if len(s) != len(axes) {
		return false
	}
	stride, between := 1, uint8(0)
	for i := len(axes) - 1; i >= 0; i-- {
		a := &axes[i]
		if a.Points == 1 {
			continue
		}
		u := (s[i] - a.Min) / a.Step
		last := a.Cells()
		if !(u >= -slack && u <= last+slack) {
			return false
		}
		u = min(max(u, 0), last)
		k := math.Floor(u)
		f := u - k
		switch {
		case f < slack:
			f = 0
		case f > 1-slack:
			f, k = 0, k+1
		}
		if f > 0 {
			if a.Discrete {
				return false
			}
			p.stride[p.n], p.frac[p.n], p.axis[p.n] = stride, f, between
			if int(k) == a.Points-1 { // on to the first point
				p.stride[p.n] -= a.Points * stride
			}
			p.n++
		}
		if int(k) == a.Points { // round to the first point
			k = 0
		}
		p.base += int(k) * stride
		stride *= a.Points
		if !a.Discrete {
			between++
		}
	}
	if p.simplex = between > MaxMultilinear; p.simplex {
		p.sort()
	}
	return true
}

// sort puts the axes in the order in which a path from the lower to the upper corner
// takes them.
func (p *Location) sort() {
	for i := 1; i < p.n; i++ {
		f, stride, axis := p.frac[i], p.stride[i], p.axis[i]
		k := i
		for ; k > 0 && p.frac[k-1] < f; k-- {
			p.frac[k], p.stride[k], p.axis[k] = p.frac[k-1], p.stride[k-1], p.axis[k-1]
		}
		p.frac[k], p.stride[k], p.axis[k] = f, stride, axis
	}
}

// Len returns the number of points around the place.
func (p *Location) Len() int {
	if p.simplex {
		return p.n + 1
	}
	return 1 << p.n
}

// At returns point i around the place, and its weight.
func (p *Location) At(i int) (point int, w float64) {
	if p.simplex {
		return p.corner(i)
	}
	point, w = p.base, 1
	for k := range p.n {
		if i>>k&1 == 1 {
			point += p.stride[k]
			w *= p.frac[k]
		} else {
			w *= 1 - p.frac[k]
		}
	}
	return point, w
}

// Nearest returns the point around the place that has the largest weight, the first of
// equal ones.
func (p *Location) Nearest() int {
	near, top := p.base, -1.0
	for i := range p.Len() {
		if point, w := p.At(i); w > top {
			near, top = point, w
		}
	}
	return near
}

// corner is At in a simplex: its corner i is i axes along the path.
func (p *Location) corner(i int) (point int, w float64) {
	point, w = p.base, 1
	for _, stride := range p.stride[:i] {
		point += stride
	}
	if i > 0 {
		w = p.frac[i-1]
	}
	if i < p.n {
		w -= p.frac[i]
	}
	return point, w
}
