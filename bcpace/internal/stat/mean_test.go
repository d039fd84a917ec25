package stat_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace/internal/stat"
	"bayescpace/envs/envtest"

	"pgregory.net/rapid"
)

// distributions on [0, 1] with their means.
var distributions = []struct {
	name string
	mean float64
	draw func(rng *rand.Rand) float64
}{
	{"rare success", 0.02, bernoulli(0.02)},
	{"fair coin", 0.5, bernoulli(0.5)},
	{"rare failure", 0.99, bernoulli(0.99)},
	{"two points", 0.3*0.4 + 0.7*0.6, func(rng *rand.Rand) float64 {
		if rng.Float64() < 0.3 {
			return 0.4
		}
		return 0.6
	}},
	{"skewed to the left", 2.0 / 3, func(rng *rand.Rand) float64 { return math.Sqrt(rng.Float64()) }},
	{"skewed to the right", 1.0 / 11, func(rng *rand.Rand) float64 { return math.Pow(rng.Float64(), 10) }},
	{"constant", 0.7, func(*rand.Rand) float64 { return 0.7 }},
}

func bernoulli(p float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 {
		if rng.Float64() < p {
			return 1
		}
		return 0
	}
}

// A bound fails with probability δ = 0.1 at most: of 1000 bounds 100 may. More
// than 140 have probability below exp(−1000·KL(0.14‖0.1)) < 4·10⁻⁴ (Chernoff),
// for the 28 counts together below 0.011; the seed is fixed.
func TestMeanBoundsCover(t *testing.T) {
	const trials, delta = 1000, 0.1
	for _, d := range distributions {
		for _, n := range []int{10, 200} {
			above, below := 0, 0
			x := make([]float64, n)
			for i := range trials {
				rng := rand.New(rand.NewPCG(uint64(n), uint64(i)))
				for k := range x {
					x[k] = 100*d.draw(rng) - 50
				}
				if stat.MeanLower(x, -50, 50, delta, n) > 100*d.mean-50+1e-9 {
					above++
				}
				if stat.MeanUpper(x, -50, 50, delta, n) < 100*d.mean-50-1e-9 {
					below++
				}
			}
			if above > 140 || below > 140 {
				t.Errorf("%s, %d draws: of %d bounds %d lie above the mean and %d below", d.name, n, trials, above, below)
			}
		}
	}
}

// The capital process evaluated as it is written down, on a grid of m.
func TestLowerMeanAgainstTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(envtest.Evenly(0, 1), 1, 40).Draw(t, "draws")
		delta := envtest.Evenly(0.001, 0.5).Draw(t, "delta")
		n := len(x)
		reaches := func(m float64) bool {
			capital := 1.0
			for i := range x {
				mean, variance := 0.0, 0.25
				for k := range i {
					mean = 0.5
					for _, v := range x[:k+1] {
						mean += v
					}
					mean /= float64(k + 2)
					variance += (x[k] - mean) * (x[k] - mean)
				}
				variance /= float64(i + 1)
				λ := math.Min(math.Sqrt(2*math.Log(1/delta)/(float64(n)*variance)), 0.75/m)
				capital *= 1 + λ*(x[i]-m)
				if capital >= 1/delta {
					return true
				}
			}
			return false
		}
		got := stat.MeanLower(x, 0, 1, delta, n)
		const step = 1.0 / 512
		for m := step; m < 1; m += step {
			if m < got-1e-6 && !reaches(m) || m > got+1e-6 && reaches(m) {
				t.Fatalf("the bound is %v, and at m = %v the capital reaches 1/δ: %v", got, m, reaches(m))
			}
		}
	})
}

func TestMeanBoundsOfFewDraws(t *testing.T) {
	if lo, hi := stat.MeanLower(nil, -3, 5, 0.05, 10), stat.MeanUpper(nil, -3, 5, 0.05, 10); lo != -3 || hi != 5 {
		t.Errorf("without draws [%v, %v], want the range", lo, hi)
	}
	if lo, hi := stat.MeanLower([]float64{2, 2}, 2, 2, 0.05, 2), stat.MeanUpper([]float64{2, 2}, 2, 2, 0.05, 2); lo != 2 || hi != 2 {
		t.Errorf("of a constant [%v, %v]", lo, hi)
	}
	if lo := stat.MeanLower([]float64{1}, 0, 1, 0.05, 1000); !(lo >= 0 && lo < 1) {
		t.Errorf("of one draw %v", lo)
	}
}

// bernstein is the empirical Bernstein bound of Maurer and Pontil (2009,
// Theorem 4): the mean less sqrt(2V·ln(2/δ)/n) + 7·ln(2/δ)/(3(n−1)).
func bernstein(x []float64, delta float64) float64 {
	n, mean, v := float64(len(x)), 0.0, 0.0
	for _, y := range x {
		mean += y / n
	}
	for _, y := range x {
		v += (y - mean) * (y - mean) / (n - 1)
	}
	l := math.Log(2 / delta)
	return mean - math.Sqrt(2*v*l/n) - 7*l/(3*(n-1))
}

// The width beside empirical Bernstein's, in mean over 50 sets of 2000 draws.
func TestLowerMeanIsTighterThanEmpiricalBernstein(t *testing.T) {
	const n = 2000
	for _, d := range distributions {
		ours, theirs := 0.0, 0.0
		for i := range 50 {
			rng := rand.New(rand.NewPCG(9, uint64(i)))
			x := make([]float64, n)
			for k := range x {
				x[k] = d.draw(rng)
			}
			ours += (d.mean - stat.MeanLower(x, 0, 1, 0.05, n)) / 50
			theirs += (d.mean - bernstein(x, 0.05)) / 50
		}
		t.Logf("%-20s %.5f below the mean, empirical Bernstein %.5f", d.name, ours, theirs)
		if ours > theirs {
			t.Errorf("%s: %v below the mean, empirical Bernstein %v", d.name, ours, theirs)
		}
	}
}

func ExampleMeanLower() {
	returns := make([]float64, 1000)
	for i := range returns {
		returns[i] = float64(i % 2 * 10)
	}
	fmt.Printf("%.2f to %.2f\n",
		stat.MeanLower(returns, 0, 10, 0.05, len(returns)),
		stat.MeanUpper(returns, 0, 10, 0.05, len(returns)))
	// Output: 4.61 to 5.38
}
