// Package stat bounds means of draws from a known range, and compares policies that have played the same
// episodes.
package stat

import "math"

// MeanLower returns a lower confidence bound of the mean of independent draws that
// lie in [lo, hi] and have the same mean μ: it exceeds μ with probability at most δ, for
// every distribution and every number of draws. planned is the number of draws for which
// the bound is tight, such as len(x). If the number of draws is random, planned must be
// fixed before the first draw; then the bound holds however the number came about.
// Without draws it is lo.
//
// It is the one-sided betting bound of Waudby-Smith and Ramdas ("Estimating
// means of bounded random variables by betting", JRSS-B 2024, Section 4), for
// draws brought to [0, 1]. The capital
//
//	K_t(m) = Π_{i≤t} (1 + λ_i(m)·(X_i − m)),  λ_i(m) = min(sqrt(2·ln(1/δ)/(n·σ̂²_{i−1})), c/m)
//
// of a bet that the mean exceeds m is a martingale at m = μ, as λ_i depends on
// earlier draws alone, and is positive, as λ_i(m)·m ≤ c < 1. By Ville's inequality the
// probability that it ever reaches 1/δ is at most δ. Each factor decreases in m, so the m
// at which K has reached 1/δ form an interval that begins at 0, and its end is the bound.
// The bound is below the mean by about sqrt(2σ²·ln(1/δ)/n) + ln(1/δ)/(c·n) of the range.
// If the draws hardly vary, the second term remains, as a rare low draw may still come.
func MeanLower(x []float64, lo, hi, delta float64, planned int) float64 {
	return lo + lowerMean(x, lo, hi-lo, delta, planned)*(hi-lo)
}

// MeanUpper is the upper bound that corresponds to MeanLower: it is below the
// mean with probability at most δ. Without draws it is hi.
func MeanUpper(x []float64, lo, hi, delta float64, planned int) float64 {
	return hi - lowerMean(x, hi, lo-hi, delta, planned)*(hi-lo)
}

// betCap is c, the largest share of the capital that a bet risks.
const betCap = 0.75

// lowerMean bounds the mean of (x − from)/width.
func lowerMean(x []float64, from, width, delta float64, planned int) float64 {
	if len(x) == 0 || width == 0 {
		return 0
	}
	// The draws brought to [0, 1], and the stakes before the cap.
	draws, stakes := make([]float64, len(x)), make([]float64, len(x))
	sum, squares := 0.5, 0.25 // half a draw at ½ that stands for no knowledge
	for i, v := range x {
		n := float64(i + 1)
		stakes[i] = math.Sqrt(2 * math.Log(1/delta) / (float64(planned) * squares / n))
		v = min(max((v-from)/width, 0), 1) // rounding
		draws[i] = v
		sum += v
		d := v - sum/(n+1)
		squares += d * d
	}
	// Bisection keeps refuted[low], so that low is never above the bound.
	low, high := 0.0, 1.0
	for high-low > 1e-12 {
		if m := (low + high) / 2; refuted(draws, stakes, m, delta) {
			low = m
		} else {
			high = m
		}
	}
	return low
}

// refuted reports whether the capital at m has ever reached 1/δ.
func refuted(draws, stakes []float64, m, delta float64) bool {
	capital, enough := 0.0, math.Log(1/delta)
	for i, x := range draws {
		capital += math.Log1p(min(stakes[i], betCap/m) * (x - m))
		if capital >= enough {
			return true
		}
	}
	return false
}

// Bet tests whether draws x ≥ −1 have a mean of at most 0, by betting: wealth
// Π(1 + λx) is then a supermartingale, and exceeds e^l at any time with
// probability at most e^−l (Ville). The mean of several stakes λ is one, too.
// It needs no bound on x from above, and finds a small constant difference
// quickly.
type Bet struct {
	wealth [3]float64 // logs, of all but the last factors
	last   [3]float64 // the product of these, less 1
}

var (
	stakes    = [3]float64{0.9, 0.1, 0.01}
	logStakes = math.Log(float64(len(stakes)))
)

// Put bets on x, and reports whether the wealth has come to exceed e^l.
func (b *Bet) Put(x, l float64) bool {
	if x == 0 {
		return false
	}
	for i, stake := range stakes {
		b.last[i] += stake * x * (1 + b.last[i])
		if y := b.last[i]; !(y > -0.9 && b.wealth[i]+y-logStakes <= l) { // the logarithm of 1 + y is at most y
			b.wealth[i], b.last[i] = b.wealth[i]+math.Log1p(y), 0
		}
		if b.wealth[i]-logStakes > l {
			return true
		}
	}
	return false
}

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

// giveUp is how many standard errors behind the best a policy is given up.
const giveUp = 4

// Leader returns the one of those left with the largest mean return, the first of equal ones. The
// returns are by policy and episode.
func Leader(returns [][]float64, left []int) int {
	best, top := left[0], math.Inf(-1)
	for _, i := range left {
		if mean, _ := PairedMean(returns[i], nil); mean > top {
			best, top = i, mean
		}
	}
	return best
}

// StillTried returns those of the policies left that the best of them does not lead surely. All have
// played the same episodes.
func StillTried(returns [][]float64, left []int) (still []int) {
	best := Leader(returns, left)
	for _, i := range left {
		if i == best || !Leads(returns[best], returns[i]) {
			still = append(still, i)
		}
	}
	return still
}

// Leads reports whether a policy that earned x in some episodes leads one that earned y in them by more
// than four standard errors.
func Leads(x, y []float64) bool {
	lead, stderr := PairedMean(x, y)
	return lead > giveUp*stderr
}

// PairedMean returns the mean of x, or of x − y for a y that is not nil, and its standard error, which is
// NaN for fewer than two episodes.
func PairedMean(x, y []float64) (mean, stderr float64) {
	at := func(i int) float64 {
		if y == nil {
			return x[i]
		}
		return x[i] - y[i]
	}
	n := float64(len(x))
	for i := range x {
		mean += at(i) / n
	}
	for i := range x {
		stderr += (at(i) - mean) * (at(i) - mean)
	}
	return mean, math.Sqrt(stderr / (n - 1) / n)
}
