package eval

import (
	"math"
	"testing"

	"bayescpace/bcpace"
)

// Quantiles from the table of Student (1908) as in any textbook.
func TestStudentT(t *testing.T) {
	for nu, want := range map[float64]float64{1: 12.7062, 2: 4.3027, 10: 2.2281, 30: 2.0423, 1000: 1.9623} {
		if got := studentT(0.975, nu); math.Abs(got-want) > 1e-4 {
			t.Errorf("t(.975, %v) = %v, want %v", nu, got, want)
		}
	}
}

// Moments by hand: of 1, 2, 3 and 6 the squares about the mean 3 sum to 14.
func TestSummary(t *testing.T) {
	mean, dev, stderr, ci := summary([]float64{1, 2, 3, 6})
	half := 3.1824 * stderr // t with 3 degrees of freedom
	if mean != 3 || math.Abs(dev-math.Sqrt(14.0/3)) > 1e-12 || math.Abs(stderr-dev/2) > 1e-12 || math.Abs(ci[0]-3+half) > 1e-3 || math.Abs(ci[1]-3-half) > 1e-3 {
		t.Errorf("%v, %v, %v, %v", mean, dev, stderr, ci)
	}
}

// TestMergeError: γ = ½ and rewards from 0 to 3, so that values are from 0 to 6 and
// the steps after the first weigh ½ + ¼ + … = 1. With a horizon there are fewer.
func TestMergeError(t *testing.T) {
	spec := bcpace.Spec{Discount: 0.5, RewardMin: 1, RewardMax: 3}
	if got := mergeError(spec, 0, 1e-3); math.Abs(got-3e-3) > 1e-15 {
		t.Errorf("without a horizon %v, want ½·6·0.001", got)
	}
	if got := mergeError(spec, 1, 1e-3); math.Abs(got-1.5e-3) > 1e-15 {
		t.Errorf("of one step %v, want ½·3·0.001", got)
	}
	spec.Discount = 1
	if got := mergeError(spec, 4, 1e-3); math.Abs(got-24e-3) > 1e-15 {
		t.Errorf("of four steps at γ = 1 %v, want 4·½·12·0.001", got)
	}
}

// Of n ordered values, number i is the quantile i/(n+1).
func TestQuantile(t *testing.T) {
	list := []float64{1, 2, 4, 8}
	for p, want := range map[float64]float64{0.2: 1, 0.4: 2, 0.5: 3, 0.7: 6, 0.8: 8, 0: 1, 0.1: 1, 0.99: 8, 1: 8} {
		if got := quantile(list, p); math.Abs(got-want) > 1e-12 {
			t.Errorf("quantile %v is %v, want %v", p, got, want)
		}
	}
}

// a − b, by hand: 2, 4 and 0 of the episodes that both have.
func TestDifferenceByHand(t *testing.T) {
	a, b := Result{Returns: []float64{3, 5, 1, 9}}, Result{Returns: []float64{1, 1, 1}}
	d, err := Difference(a, b)
	if err != nil || d.Episodes != 3 || d.Mean != 2 || math.Abs(d.StdErr-2/math.Sqrt(3)) > 1e-12 {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestTruncation: what is left after T steps at most, γ^T·max|r|/(1−γ), and nothing at
// the model's own horizon.
func TestTruncation(t *testing.T) {
	one := []float64{1}
	for _, c := range []struct {
		spec    bcpace.Spec
		horizon int
		want    float64
	}{
		{bcpace.Spec{Discount: 0.5, RewardMin: -8, RewardMax: 1}, 3, 2},
		{bcpace.Spec{Discount: 0.5, RewardMin: -8, RewardMax: 1, Horizon: 3}, 3, 0},
		{bcpace.Spec{Discount: 0.5, RewardMin: -8, RewardMax: 1, Horizon: 9}, 3, 2},
		{bcpace.Spec{Discount: 1, RewardMax: 1, Horizon: 9}, 3, math.Inf(1)},
		{bcpace.Spec{Discount: 1, Horizon: 9}, 3, 0},
	} {
		if r := Summarise(c.spec, c.horizon, one, []int{3}, []bool{true}); r.Truncation != c.want || r.Cut != 1 || r.Steps != 3 {
			t.Errorf("%+v: %+v, want %v", c.spec, r, c.want)
		}
	}
}
