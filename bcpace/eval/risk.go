package eval

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"bayescpace/bcpace"
)

// CVaR returns the mean of the worst returns, which are the given share of all of them, in (0, 1]: the conditional value at risk, also called expected
// shortfall. The interval holds that of the distribution of returns with probability 0.95, whatever the distribution: by the inequality of
// Dvoretzky, Kiefer and Wolfowitz with the constant of Massart (1990), no share of returns below a number is further from that of the
// episodes than sqrt(ln(2/0.05)/2n), and the worst and the best cumulative distribution that this allows within Range bound it
// (Thomas and Learned-Miller 2019, "Concentration Inequalities for Conditional Value at Risk", have the lower side). The returns are those of
// episodes that are cut at Horizon. The error is an *bcpace.InputError for a share outside of (0, 1], or for no episode.
func (r Result) CVaR(share float64) (Interval, error) {
	if err := r.checkShare("CVaR", share); err != nil {
		return Interval{}, err
	}
	x := slices.Sorted(slices.Values(r.Returns))
	off := math.Sqrt(math.Log(2/0.05) / 2 / float64(len(x)))
	return Interval{
		Mean: tail(x, r.Range[1], 0, share) / share,
		// A share of off of the returns are the least that there can be; or those that are the worst are the best that there can be.
		Lo: (min(off, share)*r.Range[0] + tail(x, r.Range[1], 0, share-off)) / share,
		Hi: tail(x, r.Range[1], off, share) / share,
	}, nil
}

// tail returns the sum of a share of what is sorted, from another share on, where each return counts 1/n; what is beyond the end
// counts as top.
func tail(x []float64, top, from, share float64) (sum float64) {
	n, left := float64(len(x)), max(share, 0)
	for i, v := range x {
		if part := min(float64(i+1)/n, from+share) - max(float64(i)/n, from); part > 0 {
			sum, left = sum+part*v, left-part
		}
	}
	if left*n > 1e-9 { // and not by rounding
		sum += left * top
	}
	return sum
}

// Quantile returns the return below which the given share of the returns lies, in (0, 1], and an interval that holds that of the distribution with
// probability 0.95 at least, whatever the distribution, from the order of the returns (David and Nagaraja 2003, "Order Statistics", Section 7.1); an end of
// it is that of Range where there are too few episodes. The error is an *bcpace.InputError for a share outside of (0, 1], or for no
// episode.
func (r Result) Quantile(share float64) (Interval, error) {
	if err := r.checkShare("Quantile", share); err != nil {
		return Interval{}, err
	}
	x := slices.Sorted(slices.Values(r.Returns))
	n := len(x)
	q := Interval{Mean: x[max(int(math.Ceil(share*float64(n)-1e-9)), 1)-1], Lo: r.Range[0], Hi: r.Range[1]}
	for i, v := range x {
		// The quantile is below the i-th return, from 0, with the probability that at most i of n returns are below it.
		below := distuv.Binomial{N: float64(n), P: share}.CDF(float64(i))
		if below <= 0.025 {
			q.Lo = v
		}
		if 1-below <= 0.025 {
			q.Hi = v
			break
		}
	}
	return q, nil
}

func (r Result) checkShare(what string, share float64) error {
	need := bcpace.In(what).Need
	return cmp.Or(
		need(len(r.Returns) != 0, "the result", "without an episode", "one of Rollouts with 1 episode or more"),
		need(share > 0 && share <= 1, "the share", share, "a number in (0, 1]"))
}

// At returns what the policy scores at an objective, with its 95 % interval: the mean of the returns, that of their worst share, or the probability of one
// below a level. It says nothing of a worst prior or of a cost.
func (r Result) At(o bcpace.Objective) (Interval, error) {
	switch {
	case o.Below != nil:
		lo, share, hi := ShareBelow(r.Returns, *o.Below)
		return Interval{Mean: share, Lo: lo, Hi: hi}, nil
	case o.Share > 0:
		return r.CVaR(o.Share)
	}
	return Interval{Mean: r.Mean, Lo: r.CI95[0], Hi: r.CI95[1]}, nil
}

// ShareBelow returns the share of returns below x with an interval of 95 %, by the inequality of Hoeffding. A return counts as below x where it is
// so by more than rounding.
func ShareBelow(returns []float64, x float64) (lo, share, hi float64) {
	slip := 1e-9 * max(1, math.Abs(x))
	for _, y := range returns {
		if y < x-slip {
			share++
		}
	}
	n := float64(len(returns))
	share /= n
	off := math.Sqrt(math.Log(2/0.05) / (2 * n))
	return max(0, share-off), share, min(1, share+off)
}
