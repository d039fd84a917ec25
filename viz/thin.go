package viz

import (
	"iter"
	"slices"
)

// maxPoints is the number of points that a curve keeps: two for each pixel
// column of a figure drawn at twice its size.
const maxPoints = 2400

// thin shortens a long curve with ascending x without changing how it looks:
// of each of many equal stretches of points it keeps the first, the lowest and
// the highest. Other curves stay as they are.
func thin(x, y []float64) (tx, ty []float64) {
	if len(x) <= maxPoints || !ascending(x) {
		return x, y
	}
	for from, to := range equalParts(len(x)) {
		lo, hi := from, from
		for i := from; i < to; i++ {
			if y[i] < y[lo] {
				lo = i
			}
			if y[i] > y[hi] {
				hi = i
			}
		}
		last := -1
		for _, i := range []int{from, min(lo, hi), max(lo, hi)} {
			if i > last {
				tx, ty, last = append(tx, x[i]), append(ty, y[i]), i
			}
		}
	}
	end := len(x) - 1
	return append(tx, x[end]), append(ty, y[end])
}

// thinBand shortens a long band with ascending x, keeping the lowest lo and
// the highest hi of each stretch.
func thinBand(x, lo, hi []float64) (tx, tlo, thi []float64) {
	if len(x) <= maxPoints || !ascending(x) {
		return x, lo, hi
	}
	for from, to := range equalParts(len(x)) {
		l, h := lo[from], hi[from]
		for i := from; i < to; i++ {
			l, h = min(l, lo[i]), max(h, hi[i])
		}
		tx, tlo, thi = append(tx, x[from]), append(tlo, l), append(thi, h)
	}
	end := len(x) - 1
	return append(tx, x[end]), append(tlo, lo[end]), append(thi, hi[end])
}

// equalParts divides the points of a long curve into stretches of about the same length, of which
// each keeps up to three points.
func equalParts(n int) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		const parts = maxPoints / 3
		for k := range parts {
			if !yield(k*n/parts, (k+1)*n/parts) {
				return
			}
		}
	}
}

func ascending(x []float64) bool {
	return slices.IsSorted(x)
}
