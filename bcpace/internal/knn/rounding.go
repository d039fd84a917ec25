package knn

import "math"

// Rounding bounds how far rounding moves the comparison of an L1 distance with a
// radius r, for points of n coordinates whose sizes sum to at most the given one and
// are meant as decimals:
//
//	2⁻⁵³·(4·size + (n + 4)·r).
//
// A coordinate that is a rounded decimal, times a rounded weight, is off by 2·2⁻⁵³
// of its size, and the sizes of the other point sum to size + r at most; the n
// differences and their sum are off by (n + 1)·2⁻⁵³ of the distance, and r, a
// quotient, by 2⁻⁵³ of its own. So |0.4 − 0.3| is within 0.1, and 0.1 + 10⁻¹⁵ is not
// within it. It is 2⁻²⁰·r at most, however large coordinates are: a radius keeps its
// meaning, and 0 stands for itself.
func Rounding(size, r float64, n int) float64 {
	return min(0x1p-53*(4*size+float64(n+4)*r), 0x1p-20*r)
}

// Within reports whether dist, the distance of x from another point, is at most r, but
// for Rounding.
func Within(dist, r float64, x []float64) bool {
	return dist <= r || dist <= r+Rounding(Size(x), r, len(x))
}

// Size returns the sum of the sizes of the coordinates of x.
func Size(x []float64) float64 {
	size := 0.0
	for _, v := range x {
		size += math.Abs(v)
	}
	return size
}
