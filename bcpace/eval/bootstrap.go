package eval

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
)

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
	bad := bcpace.In("bootstrap").Bad
	o.Level = cmp.Or(o.Level, 0.95)
	o.Resamples = cmp.Or(o.Resamples, 2000)
	switch {
	case len(x) < 2:
		return none, bad("the number of values", len(x), "at least 2")
	case !(o.Level > 0 && o.Level < 1):
		return none, bad("Level", o.Level, "a probability between 0 and 1")
	case o.Resamples < 100:
		return none, bad("Resamples", o.Resamples, "at least 100, or 0 for 2000")
	}
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return none, bad(fmt.Sprintf("value %d", i), v, "a finite number")
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
		squares, cubes := 0.0, 0.0
		for _, v := range x {
			d := (v - mean) / dev
			squares, cubes = squares+d*d, cubes+d*d*d
		}
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
