// Package normal has normal distributions that stop at limits or go round a circle, and
// quadratures that several of them share.
package normal

import (
	"math"
	"math/rand/v2"
)

// Noise is the normal distribution of standard deviation Sigma around any mean, on an
// axis from Min to Max. What would lie beyond the axis stops at its end; if Wraps is
// set, Max is the same place as Min, and it goes on there. Sigma 0 leaves the mean.
type Noise struct {
	Min, Max, Sigma float64
	Wraps           bool
}

// Onto returns the place on the axis where x comes to lie. Places of an axis that wraps
// are in [Min, Max).
func (n *Noise) Onto(x float64) float64 {
	if n.Wraps {
		return Wrap(x, n.Min, n.Max)
	}
	return min(max(x, n.Min), n.Max)
}

// Wrap returns the number in [from, to) that differs from x by a multiple of to − from.
func Wrap(x, from, to float64) float64 {
	period := to - from
	y := x - period*math.Floor((x-from)/period)
	switch { // rounding
	case y < from, y >= to:
		return from
	}
	return y
}

// Draw draws from the distribution around a mean.
func (n *Noise) Draw(mean float64, rng *rand.Rand) float64 {
	if n.Sigma > 0 {
		mean += n.Sigma * rng.NormFloat64()
	}
	return n.Onto(mean)
}

// Log returns the log of the distribution around a mean at x, but for a term that is the
// same for all means: of the probability at the ends, of the density between them.
func (n *Noise) Log(x, mean float64) float64 {
	switch {
	case n.Sigma == 0:
		if n.Onto(x) == n.Onto(mean) {
			return 0
		}
		return math.Inf(-1)
	case n.Wraps:
		return n.logWrapped(x - mean)
	case x == n.Min:
		return logPhi((n.Min - mean) / n.Sigma)
	case x == n.Max:
		return logPhi((mean - n.Max) / n.Sigma)
	}
	z := (x - mean) / n.Sigma
	return -z * z / 2
}

// LogScale returns what Log leaves out that differs between standard deviations: −log Sigma of a
// density, and 0 of a probability.
func (n *Noise) LogScale(x float64) float64 {
	if n.Sigma == 0 || !n.Wraps && (x == n.Min || x == n.Max) {
		return 0
	}
	return -math.Log(n.Sigma)
}

// logWrapped sums the density over the ways round the circle, of which the shortest one
// and its neighbours count where Sigma is at most the length of the axis.
func (n *Noise) logWrapped(d float64) float64 {
	const rounds = 7
	period := (n.Max - n.Min) / n.Sigma
	z := math.Abs(math.Remainder(d/n.Sigma, period))
	rest := 0.0
	for k := 1; k <= rounds; k++ {
		turn := float64(k) * period
		// −(turn ∓ z)²/2 + z²/2
		more := math.Exp(turn*(z-turn/2)) + math.Exp(-turn*(z+turn/2))
		if rest += more; more < 1e-17 {
			break
		}
	}
	return -z*z/2 + math.Log1p(rest)
}

// CDF returns the standard normal distribution function, exact in the lower tail.
func CDF(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// Density returns the standard normal density.
func Density(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }

// mass returns the probability between a and b ≥ a.
func mass(a, b float64) float64 {
	if a > 0 { // in the lower tail, where probabilities are exact
		a, b = -b, -a
	}
	return CDF(b) - CDF(a)
}

// variance returns that of the standard normal distribution between a and b > a.
func variance(a, b float64) float64 {
	moment := func(z float64) float64 {
		if math.IsInf(z, 0) {
			return 0
		}
		return z * Density(z)
	}
	m := mass(a, b)
	mean := (Density(a) - Density(b)) / m
	return 1 + (moment(a)-moment(b))/m - mean*mean
}

// logPhi returns log CDF(z), also where CDF(z) underflows.
func logPhi(z float64) float64 {
	if z > -20 {
		return math.Log(CDF(z))
	}
	// CDF(z) = Density(z)/|z| · (1 − 1/z² + 3/z⁴ − 15/z⁶ + …); the first term left out is
	// below 105/20⁸ < 10⁻⁸.
	w := 1 / (z * z)
	return -z*z/2 - math.Log(-z) - 0.5*math.Log(2*math.Pi) + math.Log1p(-w*(1-w*(3-15*w)))
}
