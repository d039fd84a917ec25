package knn

import "math"

// A coordinate with a period comes again after it, as an angle does: it lies within one
// period, and distances go the shorter way round. periods has one for each of the first
// coordinates, 0 where the coordinate has ends; nil means that all have.

// PeriodicDistance returns the L1 distance of x and y.
func PeriodicDistance(x, y, periods []float64) float64 {
	if periods == nil {
		return Distance(x, y)
	}
	d := 0.0
	for i, v := range x {
		gap := math.Abs(v - y[i])
		if i < len(periods) && periods[i] > 0 {
			gap = max(0, min(gap, periods[i]-gap))
		}
		d += gap
	}
	return d
}

// Outside returns how far x is from the interval [low, high] of a coordinate with a
// period, or with ends where that is 0. For an interval of one point it is what
// PeriodicDistance adds, and for a longer one no more than that for any point in it, also
// in the last bit, as rounding is monotone.
func Outside(x, low, high, period float64) float64 {
	switch {
	case x < low && period > 0:
		return max(0, min(low-x, period-(high-x)))
	case x > high && period > 0:
		return max(0, min(x-high, period-(x-low)))
	}
	return max(low-x, x-high, 0)
}

// periodicBound is bound for an index with periods.
func (t *Index) periodicBound(n int32, x []float64) float64 {
	box := t.boxes[2*int(n)*len(x) : 2*(int(n)+1)*len(x)]
	d := 0.0
	for i, v := range x {
		d += Outside(v, float64(box[2*i]), float64(box[2*i+1]), t.period(i))
	}
	return d
}

// period returns the period of a coordinate, 0 where it has none.
func (t *Index) period(i int) float64 {
	if i < len(t.Periods) {
		return t.Periods[i]
	}
	return 0
}

// within returns the distance of p and x, or any part of it above limit.
func (t *Index) within(p, x []float64, limit float64) float64 {
	if t.Periods != nil {
		return PeriodicDistance(p, x, t.Periods)
	}
	return within(p, x, limit)
}
