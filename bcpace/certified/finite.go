package certified

import "math"

// finite tells whether x is a number, and no infinity.
func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
