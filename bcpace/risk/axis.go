package risk

import "math"

// axis has the grid points on which what is left of a level stands. Number k is centre + scale·sinh(k·step), such that they are dense around the
// centre, or centre + k·step where scale is 0.
type axis struct {
	centre, scale, step float64
	first, cells        int // the number of the first one, and how many there are
}

// snap is the share of a cell by which the grid is longer than it has to be, at least.
const snap = 1e-9

func (a *axis) at(k int) float64 {
	if a.scale == 0 {
		return a.centre + float64(k)*a.step
	}
	return a.centre + a.scale*math.Sinh(float64(k)*a.step)
}

// number returns the k of a grid point, or in a cell one between those of its ends.
func (a *axis) number(x float64) float64 {
	if a.scale == 0 {
		return (x - a.centre) / a.step
	}
	return math.Asinh((x-a.centre)/a.scale) / a.step
}

// below returns the number of the grid point at x or below, and whether it is that of x, to which it is as near as near.
func (a *axis) below(x, near float64) (k int, there bool) {
	last := a.first + a.cells - 1
	k = min(max(int(math.Floor(a.number(x))), a.first), last)
	for k > a.first && a.at(k) > x+near {
		k--
	}
	for k < last && a.at(k+1) <= x+near {
		k++
	}
	return k, k == last || a.at(k) >= x-near
}

// widest returns the width of the widest cell.
func (a *axis) widest() float64 {
	last := a.first + a.cells - 1
	return max(a.at(a.first+1)-a.at(a.first), a.at(last)-a.at(last-1))
}

// nearest returns the grid point nearest to x.
func (a *axis) nearest(x float64) float64 {
	return a.at(min(max(int(math.Round(a.number(x))), a.first), a.first+a.cells-1))
}

// spread sets the grid points from low to high, with so many cells between them.
func (a *axis) spread(low, high float64, cells int) {
	a.step = 1
	a.step = (a.number(high) - a.number(low)) / float64(cells)
	a.cover(low, high)
}

// cover sets the first grid point and their number, from low to high.
func (a *axis) cover(low, high float64) {
	a.first = int(math.Floor(a.number(low) - snap))
	a.cells = int(math.Ceil(a.number(high)+snap)) - a.first + 1
}
