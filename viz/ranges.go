package viz

import (
	"math"

	"gonum.org/v1/plot"
)

// emptyRange returns ranges that leave any other range as it is.
func emptyRange() (xmin, xmax, ymin, ymax float64) {
	return math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
}

func dataRange(x, y []float64) (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = emptyRange()
	for i := range x {
		xmin, xmax = min(xmin, x[i]), max(xmax, x[i])
		ymin, ymax = min(ymin, y[i]), max(ymax, y[i])
	}
	return xmin, xmax, ymin, ymax
}

// widen adds a share of an axis's length at both its ends, so that no line
// runs along the frame; a range of one value gets a length. Axes on a log
// scale widen by factors.
func widen(a *plot.Axis, share float64) {
	if _, log := a.Scale.(plot.LogScale); log {
		if a.Max <= a.Min*1.01 {
			a.Min, a.Max = a.Min/2, a.Max*2
			return
		}
		by := math.Exp((math.Log(a.Max) - math.Log(a.Min)) * share)
		a.Min, a.Max = a.Min/by, a.Max*by
		return
	}
	length := a.Max - a.Min
	if short(a) {
		length = max(math.Abs(a.Min), math.Abs(a.Max))
		if length == 0 {
			length = 1
		}
	}
	a.Min, a.Max = a.Min-share*length, a.Max+share*length
}

// short reports whether the ends of an axis are equal, or differ by so little
// that the precision of a float64 would show.
func short(a *plot.Axis) bool {
	return a.Max-a.Min <= 1e-9*max(math.Abs(a.Min), math.Abs(a.Max))
}
