package envs

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// A clipped normal is μ + σ·N(0, 1), stopped at 0 and top: an atom at either
// wall and a truncated normal density between them.

// negligible is the probability below which a part of a quadrature is merged.
const negligible = 1e-12

// logClippedNormal returns the log of the clipped normal's mixed measure at x:
// of the probability at the walls, of the density between them.
func logClippedNormal(x, mu, sigma, top float64) float64 {
	switch {
	case x == 0:
		return logPhi(-mu / sigma)
	case x == top:
		return logPhi((mu - top) / sigma)
	case !(x > 0 && x < top):
		return math.Inf(-1)
	}
	z := (x - mu) / sigma
	return -z*z/2 - math.Log(sigma) - 0.5*math.Log(2*math.Pi)
}

// phi returns Φ(z), the standard normal distribution function, exact in the
// lower tail.
func phi(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// density returns the standard normal density.
func density(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }

// logPhi returns log Φ(z), also where Φ(z) underflows.
func logPhi(z float64) float64 {
	if z > -20 {
		return math.Log(phi(z))
	}
	// Φ(z) = density(z)/|z| · (1 − 1/z² + 3/z⁴ − 15/z⁶ + …); the first term
	// left out is below 105/20⁸ < 10⁻⁸.
	w := 1 / (z * z)
	return -z*z/2 - math.Log(-z) - 0.5*math.Log(2*math.Pi) + math.Log1p(-w*(1-w*(3-15*w)))
}

// rule is a quadrature of a clipped normal: n places in ascending order and
// their weights, which sum to 1. It lives on the stack.
type rule struct {
	at, weight [darkNodesMax + 2]float64
	n          int
}

// fill computes the rule with the given number of strata between the walls.
func (q *rule) fill(mu, sigma, top float64, nodes int) {
	low, high := -mu/sigma, (top-mu)/sigma // the walls in standard units
	atLow, atHigh := phi(low), phi(-high)
	// Work in the lower tail, where probabilities are exact: between walls that
	// are both far up, Φ(high) − Φ(low) would cancel.
	flip := low > 0
	from, to := low, high
	if flip {
		from, to = -high, -low
	}
	base := phi(from)
	between := phi(to) - base

	// Parts too small to matter go to the part beside them, or with nothing between
	// the walls to the other wall.
	if between < negligible {
		if atLow > atHigh {
			atLow += between
		} else {
			atHigh += between
		}
		between = 0
	}
	beside := func(wall *float64) *float64 {
		if between > 0 {
			return &between
		}
		return wall
	}
	if atLow < negligible {
		*beside(&atHigh) += atLow
		atLow = 0
	}
	if atHigh < negligible {
		*beside(&atLow) += atHigh
		atHigh = 0
	}

	q.n = 0
	if atLow > 0 {
		q.push(0, atLow)
	}
	if between > 0 {
		q.strata(mu, sigma, top, from, to, base, between, nodes, flip)
	}
	if atHigh > 0 {
		q.push(top, atHigh)
	}
	sum := 0.0
	for _, w := range q.weight[:q.n] {
		sum += w
	}
	for i := range q.weight[:q.n] {
		q.weight[i] /= sum
	}
}

// strata adds the means of equal parts of the normal truncated to [from, to].
func (q *rule) strata(mu, sigma, top, from, to, base, between float64, nodes int, flip bool) {
	mass := phi(to) - base
	share := mass / float64(nodes)
	start := q.n
	left := from
	for k := range nodes {
		right := to
		if k < nodes-1 {
			right = min(max(mathext.NormalQuantile(base+share*float64(k+1)), left), to)
		}
		// E[Z | left < Z < right] = (density(left) − density(right)) / share
		z := min(max((density(left)-density(right))/share, left), right)
		if flip {
			z = -z
		}
		// Rounding must not put a place between the walls on one of them.
		x := min(max(mu+sigma*z, math.SmallestNonzeroFloat64), math.Nextafter(top, 0))
		q.push(x, between/float64(nodes))
		left = right
	}
	if flip {
		slices.Reverse(q.at[start:q.n])
	}
}

// push appends a place, or adds to the last weight where it is the same place.
func (q *rule) push(x, weight float64) {
	if q.n > 0 && q.at[q.n-1] == x {
		q.weight[q.n-1] += weight
		return
	}
	q.at[q.n], q.weight[q.n] = x, weight
	q.n++
}
