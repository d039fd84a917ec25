package family

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"

	"gonum.org/v1/gonum/integrate/quad"
)

// Prior is the distribution of a number, as those of gonum.org/v1/gonum/stat/distuv are:
// Uniform, Normal, Beta, Gamma, LogNormal and others. It is safe for concurrent use.
type Prior interface {
	// Quantile returns the smallest x that is exceeded with probability 1 − p at most. p is in
	// [0, 1].
	Quantile(p float64) float64
	// LogProb returns the log of the density at x or, of a Points, of the probability of x.
	LogProb(x float64) float64
}

// Truncated is a distribution cut to [Min, Max] and brought to a sum of 1 again.
type Truncated struct {
	Prior interface {
		Prior
		// CDF returns the probability of a number that does not exceed x.
		CDF(x float64) float64
	}
	Min, Max float64
}

// mass returns the probabilities of Prior below Min, and in [Min, Max].
func (t Truncated) mass() (below, within float64) {
	below = t.Prior.CDF(t.Min)
	return below, t.Prior.CDF(t.Max) - below
}

// Quantile implements Prior.
func (t Truncated) Quantile(p float64) float64 {
	below, within := t.mass()
	return min(max(t.Prior.Quantile(min(below+p*within, 1)), t.Min), t.Max)
}

// LogProb implements Prior.
func (t Truncated) LogProb(x float64) float64 {
	if !(x >= t.Min && x <= t.Max) {
		return math.Inf(-1)
	}
	_, within := t.mass()
	return t.Prior.LogProb(x) - math.Log(within)
}

// CDF returns the probability of a number that does not exceed x.
func (t Truncated) CDF(x float64) float64 {
	below, within := t.mass()
	return min(max((t.Prior.CDF(x)-below)/within, 0), 1)
}

// check returns what is wrong with t: what it is, and what would be right.
func (t Truncated) check() (got, want string) {
	if t.Prior == nil {
		return "a Truncated without a Prior", "one with a Prior"
	}
	if !(t.Min < t.Max) {
		return fmt.Sprintf("truncated to [%v, %v]", t.Min, t.Max), "limits of which the lower one stands first"
	}
	if _, within := t.mass(); !(within > 1e-12) {
		return fmt.Sprintf("truncated to [%v, %v], which has probability %v", t.Min, t.Max, within), "limits between which more of the distribution lies"
	}
	return "", ""
}

// PointMasses is a distribution on a list of different numbers, with their probabilities. If
// Weights is nil, all are equally likely.
type PointMasses struct{ Values, Weights []float64 }

// weight returns the probability of entry i.
func (p PointMasses) weight(i int) float64 {
	if p.Weights == nil {
		return 1 / float64(len(p.Values))
	}
	return p.Weights[i]
}

// Quantile implements Prior.
func (p PointMasses) Quantile(q float64) float64 { return quantile(p.Values, p.weight, q) }

// quantile returns the smallest of values with weights that is exceeded with probability 1 − u at most.
func quantile(values []float64, weight func(i int) float64, u float64) float64 {
	order := num.UpTo(len(values))
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(values[i], values[k]) })
	sum, last := 0.0, order[0]
	for _, i := range order {
		w := weight(i)
		if w == 0 {
			continue
		}
		last = i
		if sum += w; sum >= u {
			break
		}
	}
	return values[last]
}

// LogProb implements Prior.
func (p PointMasses) LogProb(x float64) float64 {
	if i := slices.Index(p.Values, x); i >= 0 {
		return math.Log(p.weight(i))
	}
	return math.Inf(-1)
}

// check returns what is wrong with p: what it is, and what would be right.
func (p PointMasses) check() (got, want string) {
	switch {
	case len(p.Values) == 0:
		return "Points without Values", "at least one value"
	case p.Weights != nil && len(p.Weights) != len(p.Values):
		return fmt.Sprintf("%d values with %d weights", len(p.Values), len(p.Weights)), "a weight for each value, or nil for equal ones"
	case p.Weights != nil && bcpace.Belief(p.Weights).Validate() != nil:
		return fmt.Sprintf("Points with weights %v", p.Weights), "probabilities that sum to 1"
	}
	for i, x := range p.Values {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Sprintf("Points with the value %v", x), "finite numbers"
		}
		if slices.Contains(p.Values[:i], x) {
			return fmt.Sprintf("Points with the value %v twice", x), "different values"
		}
	}
	return "", ""
}

// checkPrior returns an *bcpace.InputError unless the prior of p is a distribution within the
// limits of p, of which Quantile and LogProb say the same.
func checkPrior(where string, p Param) (err error) {
	bad := func(got, want string) error {
		return bcpace.In(where).Bad("Prior of parameter "+strconv.Quote(p.Name), got, want)
	}
	if p.Prior == nil {
		return bad("nil", "a distribution, such as distuv.Uniform{Min: 0.5, Max: 2}")
	}
	defer func() {
		if x := recover(); x != nil {
			err = bad(fmt.Sprintf("%T, which panics (%v)", p.Prior, x), "one whose parameters are in their ranges")
		}
	}()
	if x, ok := p.Prior.(interface{ check() (got, want string) }); ok {
		if got, want := x.check(); got != "" {
			return bad(got, want)
		}
	}
	low, high := p.limits()
	if least, most := p.Prior.Quantile(0), p.Prior.Quantile(1); !(least >= low && most <= high && least <= most) {
		return bad(fmt.Sprintf("on [%v, %v]", least, most), fmt.Sprintf("one on [%v, %v], such as a Truncated", low, high))
	}
	if _, listed := p.Prior.(PointMasses); listed {
		return nil
	}
	total, due := 0.0, 0.0
	for i := range len(cuts) - 1 {
		from, to := p.Prior.Quantile(cuts[i]), p.Prior.Quantile(cuts[i+1])
		middle := cuts[i] >= 0.05 && cuts[i+1] <= 0.95
		if !(from <= to) || math.IsInf(from, 0) || math.IsInf(to, 0) || middle && from == to {
			return bad(fmt.Sprintf("one whose quantiles of %v and %v are %v and %v", cuts[i], cuts[i+1], from, to),
				"quantiles that are finite and increase, as those of a density; Points is for a list of numbers")
		}
		part, share := integral(p.Prior, cuts[i], cuts[i+1])
		total, due = total+part, due+share
		if !(math.Abs(part-share) <= densityTolerance) {
			return bad(fmt.Sprintf("one whose density has the integral %.4g from its quantile of %v, %v, to that of %v, %v", part, cuts[i], from, cuts[i+1], to),
				fmt.Sprintf("%.4g: a density with the integral 1 that agrees with Quantile", share))
		}
	}
	if !(math.Abs(total-due) <= densityTolerance) {
		return bad(fmt.Sprintf("a density with the integral %.4g", total), fmt.Sprintf("%.4g between its quantiles of %v and %v", due, cuts[0], cuts[len(cuts)-1]))
	}
	return nil
}

// densityTolerance is how far the integral of a density may be from what it should be.
const densityTolerance = 1e-3

// cuts are the probabilities between whose quantiles a density is integrated: closer at the
// ends, where it may be infinite.
var cuts = []float64{1e-6, 1e-4, 1e-2, 0.05, 0.25, 0.5, 0.75, 0.95, 1 - 1e-2, 1 - 1e-4, 1 - 1e-6}

// integral returns the integral of a density between two of its quantiles, and what it should
// be. It takes many small steps of the probability, by a Gauss–Legendre rule each, as the density
// may be infinite at the end of its range. Steps that end where they begin, as numbers so close
// to the end are the same but for rounding, are left out of both.
func integral(p Prior, from, to float64) (sum, share float64) {
	const parts, nodes = 24, 24
	cut := func(i int) float64 { // in equal ratios of the probability of the nearer end
		part := float64(i) / parts
		if from < 0.5 {
			return from * math.Pow(to/from, part)
		}
		return 1 - (1-from)*math.Pow((1-to)/(1-from), part)
	}
	for i := range parts {
		a, b := p.Quantile(cut(i)), p.Quantile(cut(i+1))
		if !(a < b) {
			continue
		}
		share += cut(i+1) - cut(i)
		sum += quad.Fixed(func(x float64) float64 { return math.Exp(p.LogProb(x)) }, a, b, nodes, quad.Legendre{}, 0)
	}
	return sum, share
}

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
	in := bcpace.In("strata")
	if err := cmp.Or(
		in.Need(density != nil, "the density", "nil", "a function"),
		in.Need(num.Finite(low) && num.Finite(high) && low < high, "the interval", fmt.Sprintf("[%v, %v]", low, high), "two finite numbers, the lower one first"),
		in.Need(n >= 1 && n <= 100, "n", n, "a number of strata from 1 to 100")); err != nil {
		return Strata{}, err
	}
	part, total := make([]float64, strataParts), 0.0
	for i := range part {
		x := middle(low, high, i)
		if part[i] = density(x); !(part[i] >= 0) || math.IsInf(part[i], 1) {
			return Strata{}, in.Bad(fmt.Sprintf("the density at %v", x), part[i], "a number that is not negative")
		}
		total += part[i]
	}
	if !(total > 0) || math.IsInf(total, 1) {
		return Strata{}, in.Bad("the sum of the density", total, fmt.Sprintf("a positive number: the density lies in [%v, %v]", low, high))
	}
	s := Strata{Values: make([]float64, n), Weights: bcpace.Uniform(n)}
	k, left := 0, 1/float64(n) // the stratum, and what it has room for
	for i, w := range part {
		w /= total
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

const strataParts = 5_000

// middle returns the middle of part i of [low, high].
func middle(low, high float64, i int) float64 { return low + (high-low)*(float64(i)+0.5)/strataParts }
