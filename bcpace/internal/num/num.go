// Package num tells numbers apart, adds them up, has the largest that can be asked for, and codes controls as numbers.
package num

import "math"

// Finite reports whether x is a number, and no infinite one.
func Finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// OfBool is 1 for true and 0 for false.
func OfBool(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Sum returns the sum of x, from the first to the last, so that it is the same to the bit wherever x lies in memory:
// floats.Sum of gonum begins with another term where x is not at a multiple of 16 bytes.
func Sum(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// UpTo returns the numbers from 0 up to n − 1.
func UpTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
