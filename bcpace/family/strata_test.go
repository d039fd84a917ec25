package family_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
	"bayescpace/bcpace/family"
	"bayescpace/envs/envtest"
)

// A mass is 1 kg or so. Five latents stand for it.
func ExampleStrata() {
	density := func(m float64) float64 { return math.Exp(-math.Pow((m-1)/0.2, 2) / 2) }
	equal, err := family.EqualStrata(density, 0, 2, 5)
	fmt.Println(equal.Names("%.2f kg"), err)
	// Output:
	// [0.72 kg 0.89 kg 1.00 kg 1.11 kg 1.28 kg] <nil>
}

// TestStrata expects the mean of a density.
func TestStrata(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		low := envtest.Evenly(-10, 10).Draw(t, "low")
		high := low + envtest.Evenly(0.01, 10).Draw(t, "length")
		a, b := envtest.Evenly(0, 3).Draw(t, "a"), envtest.Evenly(0, 3).Draw(t, "b")
		unit := func(x float64) float64 { return (2*x - low - high) / (high - low) } // to [−1, 1]
		density := func(x float64) float64 { return math.Exp(-a*unit(x)) + b*unit(x)*unit(x) }
		sum, total := 0.0, 0.0
		for i := range 5_000 {
			x := low + (high-low)*(float64(i)+0.5)/5_000
			sum += density(x) * unit(x)
			total += density(x)
		}
		equal, err := family.EqualStrata(density, low, high, n)
		if err != nil {
			t.Fatal(err)
		}
		if err := equal.Weights.Validate(); err != nil || len(equal.Values) != n {
			t.Fatalf("%v: %v", equal, err)
		}
		mean := 0.0
		for i, x := range equal.Values {
			if x < low || x > high || i > 0 && x <= equal.Values[i-1] {
				t.Fatalf("values %v in [%v, %v]", equal.Values, low, high)
			}
			mean += equal.Weights[i] * unit(x)
		}
		if math.Abs(mean-sum/total) > 1e-8 {
			t.Fatalf("mean %v of equal strata, want %v", mean, sum/total)
		}
	})
}

// TestStrataOfUniform compares with the quantiles.
func TestStrataOfUniform(t *testing.T) {
	one := func(float64) float64 { return 7 }
	equal, err := family.EqualStrata(one, 0, 1, 4)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if math.Abs(equal.Values[i]-(float64(i)+0.5)/4) > 1e-9 {
			t.Errorf("values %v", equal.Values)
		}
	}
}

func TestStrataErrors(t *testing.T) {
	one := func(float64) float64 { return 1 }
	for words, c := range map[string]struct {
		density   func(float64) float64
		low, high float64
		n         int
	}{
		"the density is nil":                         {nil, 0, 1, 3},
		"the interval is [1, 1]":                     {one, 1, 1, 3},
		"n is 0, want a number of strata":            {one, 0, 1, 0},
		"the density at 0.0001 is -1":                {func(float64) float64 { return -1 }, 0, 1, 3},
		"the sum of the density is 0, want a positi": {func(float64) float64 { return 0 }, 0, 1, 3},
	} {
		_, err := family.EqualStrata(c.density, c.low, c.high, c.n)
		var input *bcpace.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), words) {
			t.Errorf("got error %v\nwant an *InputError that says %q", err, words)
		}
	}
}
