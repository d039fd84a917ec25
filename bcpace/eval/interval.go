package eval

import (
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/stat"
)

// IntervalKind says how a 95 % interval of an expected return was made.
//
// Student's t takes the mean of n returns for normally distributed. A loss that comes in
// one of a hundred episodes makes the mean skewed until n is large: of the return −100
// with probability 0.01 and 1 otherwise, the interval of Student's t from 100 episodes
// holds the expected return with probability 0.64, and has no width where none of them
// met the loss. So it is not used where the skewness of the mean, as the returns x with
// mean x̄ suggest it, is large,
//
//	|Σ(x−x̄)³| / (Σ(x−x̄)²)^1.5 > ¼
//
// which of such losses are fewer than sixteen, or where all returns are equal. Then the
// interval is that of RangeInterval.
//
// No rule sees a loss that none of the episodes met and that other differences of the
// returns hide. RangeInterval counts with it in any case.
type IntervalKind string

const (
	// ByStudent: Student's t.
	ByStudent IntervalKind = "student"
	// ByRange: RangeInterval, as the returns are too skewed for Student's t, or all equal.
	ByRange IntervalKind = "range"
	// InDoubt: Student's t, although the returns are too skewed for it or all equal, as their
	// range is not known. The interval is then too narrow.
	InDoubt IntervalKind = "doubt"
)

// Remark says what an interval rests on, for a table, where it is not what a reader expects;
// of ByStudent it is "".
func (k IntervalKind) Remark() string {
	switch k {
	case ByRange:
		return "by the range of returns"
	case InDoubt:
		return "by Student's t, in doubt"
	}
	return ""
}

// largestSkew is the skewness of a mean up to which Student's t is used. Of the
// distributions of TestIntervalCoverage, the intervals hold with 0.93 or more.
const largestSkew = 0.25

// RangeInterval returns the interval that holds the mean of the distribution from which x
// was drawn with probability 0.95 or more, whatever the distribution is in [lo, hi] and
// however few draws there are: meanbound.Lower and meanbound.Upper, each with
// probability 0.975, as certificates have them. x are independent draws, such as
// Result.Returns, and [lo, hi] is then Result.Range; for differences of two results, it is
// from the least of one less the largest of the other to the reverse.
//
// The interval is wider than Student's t: by a quarter for a thousand returns that fill
// the range, and several times for few returns far from its ends, as a rare loss is not
// excluded. The error is a *bcpace.InputError for a range that is none, or a value outside.
func RangeInterval(x []float64, lo, hi float64) ([2]float64, error) {
	none := [2]float64{math.NaN(), math.NaN()}
	bad := bcpace.In("interval by range").Bad
	if !(lo <= hi) || math.IsInf(hi-lo, 0) {
		return none, bad("the range", fmt.Sprintf("[%v, %v]", lo, hi), "two finite numbers, the lower one first")
	}
	slack := rounding * (hi - lo)
	mean, _, _, _ := summary(x)
	for i, v := range x {
		if !(v >= lo-slack && v <= hi+slack) {
			return none, bad(fmt.Sprintf("value %d", i), v, fmt.Sprintf("a number in [%v, %v]", lo, hi))
		}
	}
	const delta = 0.025
	ci := [2]float64{stat.MeanLower(x, lo, hi, delta, len(x)), stat.MeanUpper(x, lo, hi, delta, len(x))}
	if len(x) > 0 { // an order that is hardly random may put a bound beyond the mean
		ci[0], ci[1] = min(ci[0], mean), max(ci[1], mean)
	}
	return ci, nil
}

// rounding is how far sums of rewards may differ by rounding, as a share of their range.
const rounding = 1e-9

// interval returns the mean of x, its standard deviations as summary does, and the 95 %
// interval with its kind; within is the range of x. There is no kind for fewer than two
// values, which have no interval.
func interval(x []float64, within [2]float64) (mean, dev, stderr float64, ci [2]float64, by IntervalKind) {
	mean, dev, stderr, ci = summary(x)
	switch {
	case len(x) < 2:
		return mean, dev, stderr, ci, ""
	case dev > rounding*(within[1]-within[0]) && skewOfMean(x, mean, dev) <= largestSkew:
		return mean, dev, stderr, ci, ByStudent
	}
	known, err := RangeInterval(x, within[0], within[1])
	if err != nil {
		return mean, dev, stderr, ci, InDoubt
	}
	return mean, dev, stderr, known, ByRange
}

// skewOfMean returns the size of the skewness of the mean of len(x) draws, as x with its
// mean and deviation dev > 0 suggest it.
func skewOfMean(x []float64, mean, dev float64) float64 {
	squares, cubes := 0.0, 0.0
	for _, v := range x {
		d := (v - mean) / dev // so that no power underflows
		squares, cubes = squares+d*d, cubes+d*d*d
	}
	return math.Abs(cubes) / math.Pow(squares, 1.5)
}

// rangeOfReturns returns the range of returns of so many steps, with the rewards of spec.
func rangeOfReturns(spec bcpace.Spec, discount float64, steps int) [2]float64 {
	reach := float64(steps)
	if discount < 1 {
		reach = (1 - math.Pow(discount, float64(steps))) / (1 - discount)
	}
	return [2]float64{min(spec.RewardMin, 0) * reach, max(spec.RewardMax, 0) * reach}
}
