package viz

import (
	"iter"
	"math"

	"bayescpace/bcpace"

	"gonum.org/v1/plot"
)

// emptyRange returns ranges that leave any other range as it is.
func emptyRange() (xmin, xmax, ymin, ymax float64) {
	return math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
}

// dataRange returns the ranges of points: those of each y stand at x.
func dataRange(x []float64, y ...[]float64) (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = emptyRange()
	for _, values := range y {
		for i, v := range values {
			xmin, xmax = min(xmin, x[i]), max(xmax, x[i])
			ymin, ymax = min(ymin, v), max(ymax, v)
		}
	}
	return xmin, xmax, ymin, ymax
}

// stretches returns the longest stretches of 0 to n−1 in which neighbours are alike, as their
// first number and the one behind their last.
func stretches(n int, alike func(i, j int) bool) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for from := 0; from < n; {
			to := from + 1
			for to < n && alike(to-1, to) {
				to++
			}
			if !yield(from, to) {
				return
			}
			from = to
		}
	}
}

// stretchesWhere returns the stretches in which all are so.
func stretchesWhere(n int, so func(i int) bool) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for from, to := range stretches(n, func(i, j int) bool { return so(i) == so(j) }) {
			if so(from) && !yield(from, to) {
				return
			}
		}
	}
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

// limit gives an axis the limits of what it shows, or room around the data where there are none.
func limit(a *plot.Axis, shown bcpace.Axis) {
	if shown.Min < shown.Max {
		a.Min, a.Max = shown.Min, shown.Max
	} else {
		widen(a, 0.05)
	}
}

// short reports whether the ends of an axis are equal, or differ by so little
// that the precision of a float64 would show.
func short(a *plot.Axis) bool {
	return a.Max-a.Min <= 1e-9*max(math.Abs(a.Min), math.Abs(a.Max))
}
