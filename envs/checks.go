package envs

import "math"

// wholeWithin returns x − from where x is a whole number in [from, to], or -1.
func wholeWithin(x float64, from, to int) int {
	if !(x >= float64(from) && x <= float64(to)) || x != math.Trunc(x) {
		return -1
	}
	return int(x) - from
}

const (
	wantDiscount    = "a value in (0, 1)"
	wantProbability = "a probability in (0, 1]"
)
