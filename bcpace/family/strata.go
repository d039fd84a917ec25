package family

import (
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
)

// Strata are values of a hidden quantity with their probabilities, which stand for its
// density: each value makes a latent. How many a model needs shows when it is solved with
// more of them.
type Strata struct {
	Values  []float64     // in ascending order
	Weights bcpace.Belief // their probabilities: the prior
}

// Names returns a name for each value, for Spec.Latents: fmt.Sprintf(format, value).
func (s Strata) Names(format string) []string {
	names := make([]string, len(s.Values))
	for i, x := range s.Values {
		names[i] = fmt.Sprintf(format, x)
	}
	return names
}

// EqualStrata cuts [low, high] into n parts of equal probability, from quantile to quantile
// of a density, and stands each at its mean. So it keeps the mean of the density, and
// makes its spread a little smaller. The density need not have the integral 1.
//
// The error is an *InputError for limits or an n that cannot be used, or a density that is
// negative, infinite or 0 all over. n is 100 at most. The density is looked at in the
// middle of 5,000 equal parts.
func EqualStrata(density func(x float64) float64, low, high float64, n int) (Strata, error) {
	bad := bcpace.In("strata").Bad
	switch {
	case density == nil:
		return Strata{}, bad("the density", "nil", "a function")
	case !num.Finite(low) || !num.Finite(high) || !(low < high):
		return Strata{}, bad("the interval", fmt.Sprintf("[%v, %v]", low, high), "two finite numbers, the lower one first")
	case n < 1 || n > 100:
		return Strata{}, bad("n", n, "a number of strata from 1 to 100")
	}
	part, total := make([]float64, strataParts), 0.0
	for i := range part {
		x := middle(low, high, i)
		if part[i] = density(x); !(part[i] >= 0) || math.IsInf(part[i], 1) {
			return Strata{}, bad(fmt.Sprintf("the density at %v", x), part[i], "a number that is not negative")
		}
		total += part[i]
	}
	if !(total > 0) || math.IsInf(total, 1) {
		return Strata{}, bad("the sum of the density", total, fmt.Sprintf("a positive number: the density lies in [%v, %v]", low, high))
	}
	s := Strata{Values: make([]float64, n), Weights: bcpace.Uniform(n)}
	k, left := 0, 1/float64(n) // the stratum, and what it has room for
	for i, w := range part {
		w /= total
		x := middle(low, high, i)
		for k < n-1 && w > left {
			s.Values[k] += x * left * float64(n)
			w -= left
			k, left = k+1, 1/float64(n)
		}
		s.Values[k] += x * w * float64(n)
		left -= w
	}
	for i := range s.Values {
		s.Values[i] = min(max(s.Values[i], low), high) // rounding
	}
	return s, nil
}

const strataParts = 5_000

// middle returns the middle of part i of [low, high].
func middle(low, high float64, i int) float64 {
	return low + (high-low)*(float64(i)+0.5)/strataParts
}
