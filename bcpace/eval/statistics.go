package eval

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"

	"bayescpace/bcpace"
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
	if len(x) > 0 {
		// Summing what x differs by from its first entry makes the mean of equal
		// returns exact and their deviation 0.
		sum := 0.0
		for _, v := range x {
			sum += v - x[0]
		}
		mean = x[0] + sum/n
	} else {
		mean = math.NaN()
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
