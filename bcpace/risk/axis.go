package risk

import "math"

// axis, which a policy file holds too, has the grid points on which what is left of a level stands. Number k is Centre + Scale·sinh(k·Step), such that they are dense around the
// centre, or Centre + k·Step where Scale is 0.
type axis struct {
	Centre float64 `json:"centre"`
	Scale  float64 `json:"scale"`
	Step   float64 `json:"step"`
	First  int     `json:"first"` // the number of the first one
	Cells  int     `json:"cells"` // how many there are
}

// snap is the share of a cell by which the grid is longer than it has to be, at least.
const snap = 1e-9

func (a *axis) at(k int) float64 {
	if a.Scale == 0 {
		return a.Centre + float64(k)*a.Step
	}
	return a.Centre + a.Scale*math.Sinh(float64(k)*a.Step)
}

// number returns the k of a grid point, or in a cell one between those of its ends.
func (a *axis) number(x float64) float64 {
	if a.Scale == 0 {
		return (x - a.Centre) / a.Step
	}
	return math.Asinh((x-a.Centre)/a.Scale) / a.Step
}

// below returns the number of the grid point at x or below, and whether it is that of x, to which it is as near as near.
func (a *axis) below(x, near float64) (k int, there bool) {
	last := a.First + a.Cells - 1
	k = min(max(int(math.Floor(a.number(x))), a.First), last)
	for k > a.First && a.at(k) > x+near {
		k--
	}
	for k < last && a.at(k+1) <= x+near {
		k++
	}
	return k, k == last || a.at(k) >= x-near
}

// widest returns the width of the widest cell.
func (a *axis) widest() float64 {
	last := a.First + a.Cells - 1
	return max(a.at(a.First+1)-a.at(a.First), a.at(last)-a.at(last-1))
}

// nearest returns the grid point nearest to x.
func (a *axis) nearest(x float64) float64 {
	return a.at(min(max(int(math.Round(a.number(x))), a.First), a.First+a.Cells-1))
}

// spread sets the grid points from low to high, with so many cells between them.
func (a *axis) spread(low, high float64, cells int) {
	a.Step = 1
	a.Step = (a.number(high) - a.number(low)) / float64(cells)
	a.First = int(math.Floor(a.number(low) - snap))
	a.Cells = int(math.Ceil(a.number(high)+snap)) - a.First + 1
}
