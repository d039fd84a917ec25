package check

import (
	"math"

	"bayescpace/bcpace"
)

// The statistical tests of the check. Each refuses a true hypothesis with
// probability at most e^−l, for any distribution and any number of draws; l is
// chosen so that the sum over all tests stays below falseAlarm: an eighth of it for the
// list of starts, for each of the four tests of draws, and for each of the two of the
// calibration, and a sixteenth for each of the two of the calibration at limits.

// doubt returns l for one of n tests that share falseAlarm, but for the part of the test of ends.
func doubt(n int) float64 { return math.Log(float64(n) / ((1 - endsPart) * falseAlarm)) }

// frequencyOff reports whether count of n draws refutes probability p, by
// Chernoff's bound P(k/n beyond f) ≤ exp(−n·KL(f‖p)) on either side.
func frequencyOff(count, n int, p, l float64) bool {
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

// meanRadius bounds |mean − expectation| for n draws within a range, given
// their variance: the empirical Bernstein bound of Maurer and Pontil (2009,
// Theorem 4).
func meanRadius(n int, variance, width, l float64) float64 {
	if n < 2 {
		return width
	}
	l += math.Log(4) // two sides, two terms
	return math.Sqrt(2*variance*l/float64(n)) + 7*width*l/(3*float64(n-1))
}

// moments sums draws for their mean and variance.
type moments struct {
	n          int
	mean, sum2 float64
}

// add takes a draw in (Welford 1962).
func (m *moments) add(x float64) {
	m.n++
	d := x - m.mean
	m.mean += d / float64(m.n)
	m.sum2 += d * (x - m.mean)
}

func (m *moments) variance() float64 {
	if m.n < 2 {
		return 0
	}
	return m.sum2 / float64(m.n-1)
}

// indexOf numbers the states of a list.
func indexOf(z *bcpace.Successors) map[string]int {
	index := make(map[string]int, z.Len())
	for i := range z.Len() {
		s, _, _ := z.Row(i)
		index[stateKey(s)] = i
	}
	return index
}
