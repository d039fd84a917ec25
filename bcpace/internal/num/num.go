// Package num tells numbers apart.
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
