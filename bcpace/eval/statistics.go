package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/stat"
	"bayescpace/bcpace/runs"
)

// summarise fills in what follows from the returns and lengths.
func (r *Result) summarise(spec bcpace.Spec, cut []bool) {
	r.Episodes = len(r.Returns)
	for i, n := range r.Lengths {
		r.Steps += n
		if cut[i] {
			r.Cut++
		}
	}
	r.Mean, r.StdDev, r.StdErr, r.CI95, r.CI95By = interval(r.Returns, r.Range)
	top := max(math.Abs(spec.RewardMin), math.Abs(spec.RewardMax))
	switch {
	case r.Horizon == spec.Horizon || top == 0:
		r.Truncation = 0
	case r.Discount == 1:
		r.Truncation = math.Inf(1)
	default:
		r.Truncation = math.Pow(r.Discount, float64(r.Horizon)) * top / (1 - r.Discount)
	}
}

// summary returns the mean of x, the standard deviations of an entry and of
// the mean, and the mean's 95 % interval by Student's t. Sums run in the order of x, so that
// they are the same whoever computed its entries.
func summary(x []float64) (mean, dev, stderr float64, ci [2]float64) {
	n := float64(len(x))
	mean = math.NaN()
	if len(x) > 0 {
		// Summing what x differs by from its first entry makes the mean of equal
		// returns exact and their deviation 0.
		sum := 0.0
		for _, v := range x {
			sum += v - x[0]
		}
		mean = x[0] + sum/n
	}
	squares := 0.0
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	if len(x) < 2 {
		nan := math.NaN()
		return mean, nan, nan, [2]float64{nan, nan}
	}
	dev = math.Sqrt(squares / (n - 1))
	stderr = dev / math.Sqrt(n)
	half := studentT(0.975, n-1) * stderr
	return mean, dev, stderr, [2]float64{mean - half, mean + half}
}

// studentT returns the quantile p > ½ of Student's t with ν degrees of freedom,
// from the tail 2(1−p) = I_x(ν/2, ½) with x = ν/(ν+t²).
func studentT(p, nu float64) float64 {
	x := mathext.InvRegIncBeta(nu/2, 0.5, 2*(1-p))
	return math.Sqrt(nu * (1 - x) / x)
}

// Paired is the difference of two results, episode by episode.
type Paired struct {
	Episodes     int        // episodes compared
	Mean, StdErr float64    // of the differences a − b
	CI95         [2]float64 // 95 % interval of the expected difference
	CI95By       IntervalKind
}

// Difference compares two results of the same model, seed and options, as a − b.
// Episodes of equal number share their start and latent, which takes that part
// of the noise out: the interval is narrower than those of a and b suggest. It
// compares the episodes that both have; the error is an *InputError where the
// returns are not of one kind.
func Difference(a, b Result) (Paired, error) {
	if a.Discount != b.Discount || a.Horizon != b.Horizon {
		return Paired{}, bcpace.In("comparing results").Bad("discount and horizon",
			fmt.Sprintf("%v and %d against %v and %d", a.Discount, a.Horizon, b.Discount, b.Horizon),
			"the same in both")
	}
	d := make([]float64, min(len(a.Returns), len(b.Returns)))
	for i := range d {
		d[i] = a.Returns[i] - b.Returns[i]
	}
	p := Paired{Episodes: len(d)}
	within := [2]float64{a.Range[0] - b.Range[1], a.Range[1] - b.Range[0]}
	p.Mean, _, p.StdErr, p.CI95, p.CI95By = interval(d, within)
	return p, nil
}

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
	squares, cubes := powers(x, mean, dev)
	return math.Abs(cubes) / math.Pow(squares, 1.5)
}

// powers returns the sums of the second and third powers of (x − mean)/dev, which do not underflow.
func powers(x []float64, mean, dev float64) (squares, cubes float64) {
	for _, v := range x {
		d := (v - mean) / dev
		squares, cubes = squares+d*d, cubes+d*d*d
	}
	return squares, cubes
}

// rangeOfReturns returns the range of returns of so many steps, with the rewards of spec.
func rangeOfReturns(spec bcpace.Spec, discount float64, steps int) [2]float64 {
	reach := float64(steps)
	if discount < 1 {
		reach = (1 - math.Pow(discount, float64(steps))) / (1 - discount)
	}
	return [2]float64{min(spec.RewardMin, 0) * reach, max(spec.RewardMax, 0) * reach}
}

// Interval is a mean with an interval that is to hold the expected value with probability
// 0.95. That of IntervalOf is by Student's t: it does where the mean is about normally
// distributed, and less often where values are rarely far from the others, as those of few
// seeds may be. The ends are NaN for fewer than two values.
type Interval struct{ Mean, Lo, Hi float64 }

// IntervalOf returns the mean of x with its interval by Student's t.
func IntervalOf(x []float64) Interval {
	mean, _, _, ci := summary(x)
	return Interval{mean, ci[0], ci[1]}
}

// Text writes the mean and the half width with so many decimals, 17.25 ± 0.50, and of an
// interval whose middle is not the mean both ends: 17.25 (10.31 to 18.02).
func (i Interval) Text(decimals int) string {
	if math.Abs(i.Hi+i.Lo-2*i.Mean) > 1e-6*(i.Hi-i.Lo) {
		return fmt.Sprintf("%.*f (%.*f to %.*f)", decimals, i.Mean, decimals, i.Lo, decimals, i.Hi)
	}
	return fmt.Sprintf("%.*f ± %.*f", decimals, i.Mean, decimals, i.Hi-i.Mean)
}

// Averages sums up several runs that differ in their seed alone, as Spread does, with
// intervals: each seed is a draw of its own.
type Averages struct {
	// Setting names what the runs share.
	Setting string
	// Samples, Steps and Sweeps (of value iteration) are those of a run.
	Samples, Steps, Sweeps Interval
	// Value is the exact value of its policy, in reward units.
	Value Interval
}

// AveragesOf evaluates the policies of the runs, of which there must be at least one, in
// their model. For errors see Evaluate.
func AveragesOf(ctx context.Context, setting string, m bcpace.Model, all []*runs.Run, o ExactOptions) (Averages, error) {
	values, err := valuesOf(ctx, "averages of "+setting, m, all, o)
	if err != nil {
		return Averages{}, err
	}
	var samples, steps, sweeps []float64
	for _, r := range all {
		total := 0
		for _, t := range r.Trace {
			total += t.Sweeps
		}
		samples, steps = append(samples, float64(r.Samples.Len())), append(steps, float64(r.Steps))
		sweeps = append(sweeps, float64(total))
	}
	return Averages{setting, IntervalOf(samples), IntervalOf(steps), IntervalOf(sweeps), IntervalOf(values)}, nil
}

// BootstrapOptions of Bootstrap. Every zero value is useful.
type BootstrapOptions struct {
	// Level is the probability that the interval is to hold the expected return
	// with. If it is 0, 0.95 is used.
	Level float64
	// Resamples is the number of resamples. If it is 0, 2000 are drawn.
	Resamples int
	// Seed makes the resamples.
	Seed uint64
	// Percentile takes the quantiles of the resampled means as they are, without
	// the corrections of BCa for bias and skewness.
	Percentile bool
}

// Bootstrap returns an interval for the mean of the distribution from which x was
// drawn. x are independent draws, such as Result.Returns or the differences of two of
// them. Bootstrap does not assume a normal distribution, as Student's t does. Its coverage is
// approximate, and the error of the coverage shrinks as 1/len(x) for BCa. It knows only what
// is in x, and is not for returns that are rarely and strongly negative: of −100 with
// probability 0.01 and 1 otherwise, the interval of 100 draws holds the mean with
// probability 0.6, as often none of them is a loss. RangeInterval is for such returns.
//
// BCa is the bias-corrected and accelerated interval of Efron (1987, "Better
// bootstrap confidence intervals"): the quantiles of the resampled means at
//
//	Φ(z0 + (z0 + z)/(1 − a(z0 + z))),  z = Φ⁻¹((1 ∓ Level)/2)
//
// with z0 = Φ⁻¹(share of resampled means below the mean), and of the mean the
// acceleration a = Σ(x−x̄)³ / 6(Σ(x−x̄)²)^1.5. The time grows as len(x) ×
// Resamples. The error is a *bcpace.InputError for fewer than two values, one
// that is not a finite number, or a bad option.
func Bootstrap(x []float64, o BootstrapOptions) ([2]float64, error) {
	none := [2]float64{math.NaN(), math.NaN()}
	in := bcpace.In("bootstrap")
	o.Level = cmp.Or(o.Level, 0.95)
	o.Resamples = cmp.Or(o.Resamples, 2000)
	if err := cmp.Or(
		in.Need(len(x) >= 2, "the number of values", len(x), "at least 2"),
		in.Need(o.Level > 0 && o.Level < 1, "Level", o.Level, "a probability between 0 and 1"),
		in.Need(o.Resamples >= 100, "Resamples", o.Resamples, "at least 100, or 0 for 2000")); err != nil {
		return none, err
	}
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return none, in.Bad(fmt.Sprintf("value %d", i), v, "a finite number")
		}
	}
	mean, dev, _, _ := summary(x)
	if dev == 0 {
		return [2]float64{mean, mean}, nil
	}
	means := resample(x, mean, o)
	lo, hi := (1-o.Level)/2, (1+o.Level)/2
	if !o.Percentile {
		below := 0.0
		for _, v := range means {
			switch {
			case v < 0:
				below++
			case v == 0:
				below += 0.5
			}
		}
		n := float64(len(means))
		z0 := normalQuantile(min(max(below, 0.5), n-0.5) / n)
		squares, cubes := powers(x, mean, dev)
		a := cubes / (6 * math.Pow(squares, 1.5))
		adjust := func(p float64) float64 {
			z := z0 + normalQuantile(p)
			if math.IsInf(z, 0) || a*z >= 1 { // Level is so near 1 that the quantile is an end
				return math.Round(p)
			}
			return normalCDF(z0 + z/(1-a*z))
		}
		lo, hi = adjust(lo), adjust(hi)
	}
	return [2]float64{mean + quantile(means, lo), mean + quantile(means, hi)}, nil
}

// resample returns the means of the resamples less that of x, in ascending order.
func resample(x []float64, mean float64, o BootstrapOptions) []float64 {
	rng := rand.New(rand.NewPCG(o.Seed, 0))
	means, n := make([]float64, o.Resamples), uint64(len(x))
	for i := range means {
		sum := 0.0
		for range x {
			sum += x[rng.Uint64N(n)] - mean
		}
		means[i] = sum / float64(n)
	}
	slices.Sort(means)
	return means
}

// quantile interpolates between the ordered values.
func quantile(sorted []float64, p float64) float64 {
	at := p*float64(len(sorted)+1) - 1
	i := min(max(int(math.Floor(at)), 0), len(sorted)-1)
	j := min(i+1, len(sorted)-1)
	w := min(max(at-float64(i), 0), 1)
	return sorted[i] + w*(sorted[j]-sorted[i])
}

func normalCDF(z float64) float64      { return math.Erfc(-z/math.Sqrt2) / 2 }
func normalQuantile(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }

// EpisodesFor returns how many episodes in all bring the half width of the 95 %
// interval down to the one given, as a pilot of those in r suggests:
//
//	n = max(r.Episodes, ⌈(t·s/halfWidth)²⌉)
//
// with s the pilot's deviation and t its quantile of Student's t. It is the
// second stage of Stein (1945, "A two-sample test for a linear hypothesis whose
// power is independent of the variance"): for normally distributed returns, the
// mean of n episodes, the pilot among them, is within halfWidth of the truth with
// probability 0.95 or more. A pilot that has met no rare loss asks for too few: look at its
// CI95By. The error is an *bcpace.InputError for a half width
// that is not positive, a pilot of fewer than two episodes, or a number of
// episodes that is none.
func EpisodesFor(r Result, halfWidth float64) (int, error) {
	bad := bcpace.In("number of episodes").Bad
	switch {
	case !(halfWidth > 0):
		return 0, bad("halfWidth", halfWidth, "a positive half width in reward units")
	case r.Episodes < 2 || math.IsNaN(r.StdDev):
		return 0, bad("the pilot", fmt.Sprintf("%d episodes", r.Episodes), "at least 2 episodes")
	}
	n := math.Ceil(math.Pow(studentT(0.975, float64(r.Episodes-1))*r.StdDev/halfWidth, 2))
	if !(n <= 1e15) {
		return 0, bad("halfWidth", halfWidth, "a larger one: it takes more episodes than can be played")
	}
	return max(r.Episodes, int(n)), nil
}
