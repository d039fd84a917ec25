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
	part, err := partition(density, low, high, n)
	if err != nil {
		return Strata{}, err
	}
	s := Strata{Values: make([]float64, n), Weights: bcpace.Uniform(n)}
	k, left := 0, 1/float64(n) // the stratum, and what it has room for
	for i, w := range part {
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

// GaussStrata returns the Gauss rule of n values for a density on [low, high]: the mean of
// every polynomial of degree up to 2n − 1 is that under the density, so that a few values
// keep its mean and its spread. Values far out have small weights. For errors see
// EqualStrata.
//
// Source: the three-term recurrence by Stieltjes' procedure, and its eigenvalues; Gautschi,
// "Orthogonal Polynomials: Computation and Approximation" (2004), Sections 2.2 and 3.1.
func GaussStrata(density func(x float64) float64, low, high float64, n int) (Strata, error) {
	part, err := partition(density, low, high, n)
	if err != nil {
		return Strata{}, err
	}
	// On [−1, 1], x·p_k = √β_{k+1}·p_{k+1} + α_k·p_k + √β_k·p_{k−1} for orthonormal p.
	alpha, root := make([]float64, n), make([]float64, n+1) // root_k is √β_k
	before, p := make([]float64, len(part)), make([]float64, len(part))
	for i := range p {
		p[i] = 1
	}
	for k := range n {
		for i, w := range part {
			alpha[k] += w * p[i] * p[i] * middle(-1, 1, i)
		}
		norm := 0.0
		for i, w := range part {
			before[i], p[i] = p[i], (middle(-1, 1, i)-alpha[k])*p[i]-root[k]*before[i]
			norm += w * p[i] * p[i]
		}
		root[k+1] = math.Sqrt(norm)
		if k+1 < n && !(root[k+1] > 1e-7) {
			return Strata{}, bcpace.In("strata").Bad("n", n,
				fmt.Sprintf("%d at most, or limits closer to where the density lies, which is within a few of 5,000 parts of [%v, %v]", k+1, low, high))
		}
		for i := range p {
			p[i] /= root[k+1]
		}
	}
	s := Strata{Values: make([]float64, n), Weights: make(bcpace.Belief, n)}
	total := 0.0
	for j := range n {
		x := eigenvalue(alpha, root[:n], j)
		sum, last, now := 0.0, 0.0, 1.0
		for k := range n {
			sum += now * now
			last, now = now, ((x-alpha[k])*now-root[k]*last)/max(root[k+1], math.SmallestNonzeroFloat64)
		}
		s.Values[j] = low + (high-low)*(1+x)/2
		s.Weights[j] = 1 / sum
		total += s.Weights[j]
	}
	for j := range s.Weights {
		s.Weights[j] /= total
	}
	return s, nil
}

// eigenvalue returns eigenvalue j, in ascending order and within [−1, 1], of the symmetric
// tridiagonal matrix with alpha on the diagonal and root_1, root_2, … beside it, by
// bisection: as many pivots of the matrix less x are negative as eigenvalues are below x.
func eigenvalue(alpha, root []float64, j int) float64 {
	low, high := -1.0, 1.0
	for range 60 {
		x := (low + high) / 2
		below, pivot := 0, 1.0
		for k, a := range alpha {
			pivot = a - x - root[k]*root[k]/pivot
			if pivot == 0 {
				pivot = 1e-300
			}
			if pivot < 0 {
				below++
			}
		}
		if below > j {
			high = x
		} else {
			low = x
		}
	}
	return (low + high) / 2
}

const strataParts = 5_000

// middle returns the middle of part i of [low, high].
func middle(low, high float64, i int) float64 {
	return low + (high-low)*(float64(i)+0.5)/strataParts
}

// partition returns the probabilities of equal parts of [low, high].
func partition(density func(x float64) float64, low, high float64, n int) ([]float64, error) {
	bad := bcpace.In("strata").Bad
	switch {
	case density == nil:
		return nil, bad("the density", "nil", "a function")
	case !num.Finite(low) || !num.Finite(high) || !(low < high):
		return nil, bad("the interval", fmt.Sprintf("[%v, %v]", low, high), "two finite numbers, the lower one first")
	case n < 1 || n > 100:
		return nil, bad("n", n, "a number of strata from 1 to 100")
	}
	part := make([]float64, strataParts)
	total := 0.0
	for i := range part {
		x := middle(low, high, i)
		part[i] = density(x)
		if !(part[i] >= 0) || math.IsInf(part[i], 1) {
			return nil, bad(fmt.Sprintf("the density at %v", x), part[i], "a number that is not negative")
		}
		total += part[i]
	}
	if !(total > 0) || math.IsInf(total, 1) {
		return nil, bad("the sum of the density", total, fmt.Sprintf("a positive number: the density lies in [%v, %v]", low, high))
	}
	for i := range part {
		part[i] /= total
	}
	return part, nil
}
