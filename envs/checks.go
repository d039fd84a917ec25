package envs

import (
	"math"

	"bayescpace/bcpace"
)

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

// sureStart adds a start state in which episodes begin whatever the latent is, and returns it.
func sureStart(z *bcpace.Successors) []float64 {
	s, p, _ := z.Add(false)
	for φ := range p {
		p[φ] = 1
	}
	return s
}
