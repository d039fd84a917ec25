package eval_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

// TestBootstrapCoverage counts how often intervals hold the mean of draws from
// skewed and normal distributions. With 1500 trials a share has a standard
// deviation of 0.0056 at most near 0.95, so a true coverage of 0.935 to 0.955 is
// outside [0.91, 0.98] with probability below 10⁻⁴. The approximate coverage of 50
// exponential draws is 0.93 to 0.945 with either method.
func TestBootstrapCoverage(t *testing.T) {
	const trials, n = 1500, 50
	for _, percentile := range []bool{false, true} {
		for name, draw := range map[string]func(*rand.Rand) float64{
			"normal":      func(r *rand.Rand) float64 { return 1 + 3*r.NormFloat64() },
			"exponential": func(r *rand.Rand) float64 { return r.ExpFloat64() },
		} {
			rng := rand.New(rand.NewPCG(1, 2))
			held := 0
			x := make([]float64, n)
			for i := range trials {
				for k := range x {
					x[k] = draw(rng)
				}
				ci, err := eval.Bootstrap(x, eval.BootstrapOptions{Resamples: 800, Seed: uint64(i), Percentile: percentile})
				if err != nil {
					t.Fatal(err)
				}
				if ci[0] <= 1 && 1 <= ci[1] {
					held++
				}
			}
			share := float64(held) / trials
			t.Logf("%s, percentile %v: %.4f", name, percentile, share)
			if share < 0.91 || share > 0.98 {
				t.Errorf("%s, percentile %v: coverage %.4f", name, percentile, share)
			}
		}
	}
}

// TestBootstrapNormal: for many draws the interval is Student's.
func TestBootstrapNormal(t *testing.T) {
	r, err := eval.Rollouts(context.Background(), envs.Chain{}, bcpace.RandomPolicy(envs.Chain{}), eval.Options{Episodes: 4000, Horizon: 50})
	if err != nil {
		t.Fatal(err)
	}
	ci, err := eval.Bootstrap(r.Returns, eval.BootstrapOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// The quantile of 2000 resamples has a standard error of 0.06 of the mean's.
	for i := range ci {
		if d := math.Abs(ci[i] - r.CI95[i]); d > 0.3*r.StdErr {
			t.Errorf("%v, Student's %v", ci, r.CI95)
		}
	}
	again, _ := eval.Bootstrap(r.Returns, eval.BootstrapOptions{})
	if ci != again {
		t.Errorf("%v, then %v", ci, again)
	}
}

// TestBootstrapSkew: BCa moves towards the long tail, as the third moment says.
func TestBootstrapSkew(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x := make([]float64, 60)
	for i := range x {
		x[i] = -math.Exp(rng.NormFloat64())
	}
	bca, err := eval.Bootstrap(x, eval.BootstrapOptions{})
	if err != nil {
		t.Fatal(err)
	}
	plain, _ := eval.Bootstrap(x, eval.BootstrapOptions{Percentile: true})
	if !(bca[0] < plain[0] && bca[1] < plain[1]) {
		t.Errorf("BCa %v, percentile %v", bca, plain)
	}
	if ci, err := eval.Bootstrap([]float64{2, 2, 2}, eval.BootstrapOptions{}); err != nil || ci != [2]float64{2, 2} {
		t.Errorf("equal values: %v, %v", ci, err)
	}
}

func TestBootstrapErrors(t *testing.T) {
	var input *bcpace.InputError
	for _, c := range []struct {
		x []float64
		o eval.BootstrapOptions
	}{
		{[]float64{1}, eval.BootstrapOptions{}}, {[]float64{1, math.NaN()}, eval.BootstrapOptions{}},
		{[]float64{1, 2}, eval.BootstrapOptions{Level: 1}}, {[]float64{1, 2}, eval.BootstrapOptions{Resamples: 5}},
	} {
		if _, err := eval.Bootstrap(c.x, c.o); !errors.As(err, &input) {
			t.Errorf("%v, %+v: %v", c.x, c.o, err)
		}
	}
}

// TestEpisodesFor: Stein's two stages hold the mean within the half width with
// probability 0.95 or more, for any deviation. Of 4000 trials, fewer than 0.933
// have probability 10⁻⁶ at 0.95.
func TestEpisodesFor(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, deviation := range []float64{0.5, 4} {
		const trials, pilot, half = 4000, 10, 0.5
		held, total := 0, 0
		for range trials {
			sum := 0.0
			x, length, cut := make([]float64, pilot), make([]int, pilot), make([]bool, pilot)
			for i := range x {
				x[i] = deviation * rng.NormFloat64()
				sum += x[i]
			}
			n, err := eval.EpisodesFor(eval.Summarise(bcpace.Spec{Discount: 0.9}, 1, x, length, cut), half)
			if err != nil {
				t.Fatal(err)
			}
			for range n - pilot {
				sum += deviation * rng.NormFloat64()
			}
			if math.Abs(sum/float64(n)) <= half {
				held++
			}
			total += n
		}
		share := float64(held) / trials
		t.Logf("deviation %v: coverage %.4f, %.1f episodes", deviation, share, float64(total)/trials)
		if share < 0.933 {
			t.Errorf("deviation %v: coverage %v", deviation, share)
		}
	}
	var input *bcpace.InputError
	pilot := eval.Result{Episodes: 10, StdDev: 1}
	for _, half := range []float64{0, -1, math.NaN(), 1e-9} {
		if _, err := eval.EpisodesFor(pilot, half); !errors.As(err, &input) {
			t.Errorf("half width %v: %v", half, err)
		}
	}
	if _, err := eval.EpisodesFor(eval.Result{Episodes: 1}, 1); !errors.As(err, &input) {
		t.Errorf("a pilot of one: %v", err)
	}
}

// TestDifferenceCoverage: the paired interval holds the exact difference of two
// policies' values in 0.95 of the trials. Of 400, fewer than 0.90 or more than
// 0.985 have probability below 10⁻³ together.
func TestDifferenceCoverage(t *testing.T) {
	ctx, m := context.Background(), envs.Chain{}
	policy := func(action int) bcpace.Policy {
		return bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return action })
	}
	o := eval.ExactOptions{Horizon: 20}
	a, err := eval.Evaluate(ctx, m, policy(0), o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := eval.Evaluate(ctx, m, policy(1), o)
	if err != nil {
		t.Fatal(err)
	}
	const trials = 400
	held := 0
	for seed := range uint64(trials) {
		o := eval.Options{Episodes: 100, Horizon: 20, Seed: seed}
		x, err := eval.Rollouts(ctx, m, policy(0), o)
		if err != nil {
			t.Fatal(err)
		}
		y, err := eval.Rollouts(ctx, m, policy(1), o)
		if err != nil {
			t.Fatal(err)
		}
		d, err := eval.Difference(x, y)
		if err != nil {
			t.Fatal(err)
		}
		if want := a.Value - b.Value; d.CI95[0] <= want && want <= d.CI95[1] {
			held++
		}
	}
	share := float64(held) / trials
	t.Logf("coverage %.4f", share)
	if share < 0.90 || share > 0.985 {
		t.Errorf("coverage %v", share)
	}
}

// TestBootstrapExpansion: of the exponential distribution's quantiles, with skewness
// γ, the ends lie z + γ(z²−1)/6√n (percentile) and z + γ(2z²+1)/6√n (BCa) standard
// errors from the mean, up to terms of 1/n (Hall 1988, "Theoretical comparison of
// bootstrap confidence intervals"). The quantile of 60,000 resamples has a standard
// error of 0.011 of those; an acceleration twice as large would move an end by 0.09.
func TestBootstrapExpansion(t *testing.T) {
	const n = 200
	x, mean := make([]float64, n), 0.0
	for i := range x {
		x[i] = -math.Log(1 - (float64(i)+0.5)/n)
		mean += x[i] / n
	}
	two, three := 0.0, 0.0
	for _, v := range x {
		two, three = two+(v-mean)*(v-mean)/n, three+(v-mean)*(v-mean)*(v-mean)/n
	}
	skew := three / math.Pow(two, 1.5) / (6 * math.Sqrt(n))
	for _, percentile := range []bool{false, true} {
		ci, err := eval.Bootstrap(x, eval.BootstrapOptions{Resamples: 60_000, Seed: 3, Percentile: percentile})
		if err != nil {
			t.Fatal(err)
		}
		for i, z := range []float64{-1.96, 1.96} {
			want := z + skew*(2*z*z+1)
			if percentile {
				want = z + skew*(z*z-1)
			}
			if got := (ci[i] - mean) / math.Sqrt(two/n); math.Abs(got-want) > 0.05 {
				t.Errorf("percentile %v: end %d at %v standard errors, want %v", percentile, i, got, want)
			}
		}
	}
}

// TestBootstrapEnds: half of the resamples of −1 and 1 have mean 0, which count half
// to either side, and the extremes are the ends. The largest levels leave no
// resample out, however skewed the values are.
func TestBootstrapEnds(t *testing.T) {
	if ci, err := eval.Bootstrap([]float64{-1, 1}, eval.BootstrapOptions{}); err != nil || ci != [2]float64{-1, 1} {
		t.Errorf("%v, %v", ci, err)
	}
	for _, sign := range []float64{1, -1} {
		x := make([]float64, 10)
		x[3] = 100 * sign
		for _, level := range []float64{1e-3, 0.95, 1 - 1e-6, 1 - 1e-9, 1 - 1e-13, math.Nextafter(1, 0)} {
			ci, err := eval.Bootstrap(x, eval.BootstrapOptions{Level: level})
			all, _ := eval.Bootstrap(x, eval.BootstrapOptions{Level: math.Nextafter(1, 0), Percentile: true})
			if err != nil || ci[0] > ci[1] || math.IsNaN(ci[0]+ci[1]) || level > 1-1e-12 && (sign > 0 && ci[1] != all[1] || sign < 0 && ci[0] != all[0]) {
				t.Errorf("level %v: %v of %v, %v", level, ci, all, err)
			}
		}
	}
}
