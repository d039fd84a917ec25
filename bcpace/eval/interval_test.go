package eval_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/solverkit"
	"bayescpace/envs"
)

// returnsOf is a distribution of returns.
type returnsOf struct {
	name         string
	lo, hi, mean float64
	draw         func(*rand.Rand) float64
}

// rarely is a distribution that is rare with probability p and usual otherwise.
func rarely(name string, p, rare, usual float64) returnsOf {
	return returnsOf{name, min(rare, usual, 0), max(rare, usual, 0), p*rare + (1-p)*usual, func(rng *rand.Rand) float64 {
		if rng.Float64() < p {
			return rare
		}
		return usual
	}}
}

// skewed are distributions whose rare returns are the only differences between returns, or
// are seen in them.
var skewed = []returnsOf{
	rarely("loss 0.002", 0.002, -100, 1),
	rarely("loss 0.01", 0.01, -100, 1),
	rarely("loss 0.05", 0.05, -100, 1),
	rarely("loss 0.2", 0.2, -10, 1),
	rarely("gain 0.02", 0.02, 50, 0),
	rarely("gain 0.005", 0.005, 10, -1),
	rarely("win 0.85", 0.15, -1, 1),
	rarely("fair", 0.5, -1, 1),
	{"gain and loss", -101, 101, 0.027 * 101, func(rng *rand.Rand) float64 {
		switch u := rng.Float64(); {
		case u < 0.03:
			return 101
		case u < 0.033:
			return -101
		}
		return 0
	}},
	{"exponential", -20, 1, 1 - (1 - math.Exp(-21)), func(rng *rand.Rand) float64 { return 1 - min(rng.ExpFloat64(), 21) }},
}

// hidden has a loss of 100 that is as rare as that of "loss 0.01", among returns that differ.
var hidden = returnsOf{"hidden", -100, 1.3, -0.01, func(rng *rand.Rand) float64 {
	if rng.Float64() < 0.01 {
		return -100
	}
	return 0.7 + 0.6*rng.Float64()
}}

// spec describes a model of one step with these returns.
func (d returnsOf) spec() bcpace.Spec {
	return bcpace.Spec{Discount: 1, Horizon: 1, RewardMin: d.lo, RewardMax: d.hi}
}

// play returns the result of n draws.
func (d returnsOf) play(rng *rand.Rand, n int) eval.Result {
	x := make([]float64, n)
	for i := range x {
		x[i] = d.draw(rng)
	}
	return eval.Summarise(d.spec(), 1, x, make([]int, n), make([]bool, n))
}

// holds says whether an interval has a mean, up to rounding.
func holds(ci [2]float64, mean float64) bool { return ci[0] <= mean+1e-9 && mean <= ci[1]+1e-9 }

// wide returns the RangeInterval of a result.
func wide(t *testing.T, r eval.Result) [2]float64 {
	if r.CI95By == eval.ByRange {
		return r.CI95
	}
	ci, err := eval.RangeInterval(r.Returns, r.Range[0], r.Range[1])
	if err != nil {
		t.Fatal(err)
	}
	return ci
}

// coverage plays many results of n draws, and returns the shares of them whose CI95 and
// whose RangeInterval hold the mean.
func (d returnsOf) coverage(t *testing.T, n, trials int) (ci95, byRange float64) {
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	for range trials {
		r := d.play(rng, n)
		if holds(r.CI95, d.mean) {
			ci95++
		}
		if holds(wide(t, r), d.mean) {
			byRange++
		}
	}
	return ci95 / float64(trials), byRange / float64(trials)
}

// clearly is the evidence, as the logarithm of a likelihood ratio, from which on a claim needs no more trials.
const clearly = 12

// claim is that an interval holds with probability want. evidence compares this with the probability poor. It exceeds
// clearly, however long trials go on, with probability exp(−clearly) at most where an interval holds with poor or
// less (Ville's inequality): then the claim is taken for true, and trials may end.
type claim struct {
	want, poor float64
	held       int
	evidence   float64
	clear      bool
}

func (c *claim) add(holds bool) {
	if holds {
		c.held++
		c.evidence += math.Log(c.want / c.poor)
	} else {
		c.evidence += math.Log((1 - c.want) / (1 - c.poor))
	}
	c.clear = c.clear || c.evidence >= clearly
}

// checkCoverage wants CI95 to hold with probability 0.93, and RangeInterval with 0.95. least
// and leastByRange are what the shares of so many trials fall below with probability
// exp(−7.8) at most, then (Chernoff); a claim that is clear before is not refused, which makes a false
// refusal no likelier.
func checkCoverage(t *testing.T, sizes []int, trials int, least, leastByRange float64) {
	for _, d := range skewed {
		for _, n := range sizes {
			ci95, byRange := claim{want: 0.93, poor: 0.87}, claim{want: 0.95, poor: 0.9}
			rng, played := rand.New(rand.NewPCG(7, uint64(n))), 0
			for ; played < trials && !(ci95.clear && byRange.clear); played++ {
				r := d.play(rng, n)
				ci95.add(holds(r.CI95, d.mean))
				byRange.add(holds(wide(t, r), d.mean))
			}
			t.Logf("%s: of %d intervals of %d episodes %d hold, and %d by range", d.name, played, n, ci95.held, byRange.held)
			if share := float64(ci95.held) / float64(played); !ci95.clear && share < least {
				t.Errorf("%s: CI95 of %d episodes holds the mean with %.3f", d.name, n, share)
			}
			if share := float64(byRange.held) / float64(played); !byRange.clear && share < leastByRange {
				t.Errorf("%s: RangeInterval of %d episodes holds the mean with %.3f", d.name, n, share)
			}
		}
	}
}

// Of 20 shares of 500 trials each, and as many by range, one fails falsely with probability
// below 40·exp(−7.8) < 0.02, were the seed not fixed.
func TestIntervalCoverage(t *testing.T) {
	checkCoverage(t, []int{10, 100}, 500, 0.88, 0.906)
}

// TestDifferenceCoverageRare: the paired interval holds where one policy rarely loses much
// and the other never, as it does with 0.4 by Student's t from 100 episodes. Of 500 trials at
// 0.93, fewer than 0.88 have probability below exp(−7).
func TestDifferenceCoverageRare(t *testing.T) {
	const trials, n = 500, 100
	d, safe := rarely("loss 0.01", 0.01, -100, 1), rarely("safe", 0, 0, 0.5)
	rng := rand.New(rand.NewPCG(1, 1))
	held := 0
	for range trials {
		p, err := eval.Difference(d.play(rng, n), safe.play(rng, n))
		if err != nil {
			t.Fatal(err)
		}
		if p.CI95By != eval.ByRange {
			t.Fatalf("%+v, want an interval by range", p)
		}
		if holds(p.CI95, d.mean-0.5) {
			held++
		}
	}
	if share := float64(held) / trials; share < 0.88 {
		t.Errorf("coverage %.3f", share)
	}
}

// TestIntervalOfRegularReturns: normally distributed returns have the interval of Student's
// t, however wide the range of returns is. Of 30 such returns the skewness of the mean has the
// standard deviation 0.08, so that one of 300 results exceeds ¼ with probability 0.5 or less.
func TestIntervalOfRegularReturns(t *testing.T) {
	d := returnsOf{"normal", -2000, 200, 0, func(rng *rand.Rand) float64 { return 20 + 30*rng.NormFloat64() }}
	rng := rand.New(rand.NewPCG(2, 2))
	for n, most := range map[int]int{30: 5, 1000: 0} {
		other := 0
		for range 300 {
			r := d.play(rng, n)
			if x := eval.IntervalOf(r.Returns); r.CI95By != eval.ByStudent {
				other++
			} else if r.CI95 != [2]float64{x.Lo, x.Hi} {
				t.Fatalf("%v, want that of Student's t, %v", r.CI95, x)
			}
		}
		if other > most {
			t.Errorf("%d of 300 results of %d episodes are not by Student's t", other, n)
		}
	}
}

// TestHiddenLoss: what the documentation says of losses that no episode met and that other
// differences hide. CI95 fails, RangeInterval holds. The loss is in none of 100 episodes with
// probability 0.99^100 = 0.37. Of 500 trials at 0.63, a share of more than 0.72 have probability below
// exp(−9).
func TestHiddenLoss(t *testing.T) {
	ci95, byRange := hidden.coverage(t, 100, 500)
	t.Logf("%.3f, by range %.3f", ci95, byRange)
	if ci95 > 0.72 || byRange < 0.9 {
		t.Errorf("CI95 holds with %.3f, RangeInterval with %.3f", ci95, byRange)
	}
}

// TestBootstrapRareLosses: the 0.6 that the documentation of Bootstrap has. Of 400 trials at
// 0.62, a share below 0.5 or above 0.7 has probability below 10⁻³.
func TestBootstrapRareLosses(t *testing.T) {
	const trials = 400
	d := rarely("loss 0.01", 0.01, -100, 1)
	rng := rand.New(rand.NewPCG(3, 3))
	held := 0
	for i := range trials {
		ci, err := eval.Bootstrap(d.play(rng, 100).Returns, eval.BootstrapOptions{Resamples: 400, Seed: uint64(i)})
		if err != nil {
			t.Fatal(err)
		}
		if holds(ci, d.mean) {
			held++
		}
	}
	if share := float64(held) / trials; share < 0.5 || share > 0.7 {
		t.Errorf("the interval holds with %.3f", share)
	}
}

// The kinds of intervals, by hand.
func TestIntervalKinds(t *testing.T) {
	spec := bcpace.Spec{Discount: 1, Horizon: 1, RewardMin: -100, RewardMax: 1}
	of := func(x ...float64) eval.Result {
		return eval.Summarise(spec, 1, x, make([]int, len(x)), make([]bool, len(x)))
	}
	for _, c := range []struct {
		r    eval.Result
		want eval.IntervalKind
	}{
		{of(1), ""},
		{of(-1, 1), eval.ByStudent},
		{of(1, 1, 1), eval.ByRange},
		{of(1, 1, 1-1e-12), eval.ByRange}, // equal up to rounding
		{of(1, 1, 1, 1, 1, 1, 1, -100), eval.ByRange},
		{of(2, 2, 2), eval.InDoubt}, // out of the range
		{of(-1, 3), eval.ByStudent},
	} {
		if c.r.CI95By != c.want {
			t.Errorf("%v: %q, want %q", c.r.Returns, c.r.CI95By, c.want)
		}
		if c.want != "" && !(c.r.CI95[0] <= c.r.Mean && c.r.Mean <= c.r.CI95[1]) {
			t.Errorf("%v: %v without the mean %v", c.r.Returns, c.r.CI95, c.r.Mean)
		}
	}
	var input *bcpace.InputError
	for _, c := range [][3]float64{{0, 1, -1}, {2, 0, 1}, {math.NaN(), 0, 1}, {0, math.Inf(-1), 0}, {0, math.NaN(), 0}} {
		if _, err := eval.RangeInterval(c[:1], c[1], c[2]); !errors.As(err, &input) {
			t.Errorf("%v: %v", c, err)
		}
	}
	// The returns come in an order that makes a bet on a larger mean win.
	x := make([]float64, 200)
	for i := range 100 {
		x[i] = 1
	}
	if ci, err := eval.RangeInterval(x, 0, 1); err != nil || ci[0] > 0.5 || ci[1] < 0.5 {
		t.Errorf("%v, %v", ci, err)
	}
}

// TestRangeOfResults: the range of returns is that of the model where it knows a tighter one
// than its rewards, and ends at the cut.
func TestRangeOfResults(t *testing.T) {
	tiger, room := envs.Tiger{}, envs.LightDarkTiger{}
	lo, hi := solverkit.RangeOfReturns(room)
	for _, c := range []struct {
		m    bcpace.Model
		o    eval.Options
		want [2]float64
	}{
		{tiger, eval.Options{Horizon: 1}, [2]float64{-100, 10}},
		{tiger, eval.Options{Horizon: 2}, [2]float64{-195, 19.5}},
		{tiger, eval.Options{Horizon: 2, Undiscounted: true}, [2]float64{-200, 20}},
		{room, eval.Options{}, [2]float64{lo, hi}},
	} {
		c.o.Episodes = 2
		r, err := eval.Rollouts(t.Context(), c.m, bcpace.RandomPolicy(c.m), c.o)
		if err != nil || math.Abs(r.Range[0]-c.want[0]) > 1e-9 || math.Abs(r.Range[1]-c.want[1]) > 1e-9 {
			t.Errorf("%s, %+v: %v, want %v (%v)", c.m.Spec().Name, c.o, r.Range, c.want, err)
		}
	}
}

// Every text of an interval says both ends, or a half width that is that of both.
func TestIntervalText(t *testing.T) {
	for want, i := range map[string]eval.Interval{
		"17.25 ± 0.50":           {Mean: 17.25, Lo: 16.75, Hi: 17.75},
		"17.25 (10.31 to 18.02)": {Mean: 17.25, Lo: 10.31, Hi: 18.02},
		"3.00 ± 0.00":            {Mean: 3, Lo: 3, Hi: 3},
	} {
		if got := i.Text(2); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var c eval.Comparison
	c.SetResult("p", "a", eval.Result{Mean: 1, CI95: [2]float64{-2, 1.5}})
	if got := c.String(); !strings.Contains(got, "1.0 ± 3.0") {
		t.Errorf("%s, want the larger half width", got)
	}
}
