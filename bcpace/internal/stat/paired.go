package stat

import "math"

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
