package stat

import "math"

// FrequencyOff reports whether count of n draws refutes probability p, by
// Chernoff's bound P(k/n beyond f) ≤ exp(−n·KL(f‖p)) on either side.
func FrequencyOff(count, n int, p, l float64) bool {
	f := float64(count) / float64(n)
	p = min(max(p, 0), 1) // rounding
	return float64(n)*(klTerm(f, p)+klTerm(1-f, 1-p)) > l+math.Ln2
}

// klTerm returns f·log(f/p), continued to f = 0.
func klTerm(f, p float64) float64 {
	if f == 0 {
		return 0
	}
	return f * math.Log(f/p)
}

// Radius bounds |mean − expectation| for n draws within a range, given
// their variance: the empirical Bernstein bound of Maurer and Pontil (2009,
// Theorem 4).
func Radius(n int, variance, width, l float64) float64 {
	if n < 2 {
		return width
	}
	l += math.Log(4) // two sides, two terms
	return math.Sqrt(2*variance*l/float64(n)) + 7*width*l/(3*float64(n-1))
}

// Moments sums draws for their mean and variance.
type Moments struct {
	N    int
	Mean float64
	sum2 float64
}

// Add takes a draw in (Welford 1962).
func (m *Moments) Add(x float64) {
	m.N++
	d := x - m.Mean
	m.Mean += d / float64(m.N)
	m.sum2 += d * (x - m.Mean)
}

// Variance returns the variance of the draws, 0 for fewer than two.
func (m *Moments) Variance() float64 {
	if m.N < 2 {
		return 0
	}
	return m.sum2 / float64(m.N-1)
}
