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
	gauss, err := family.GaussStrata(density, 0, 2, 5)
	fmt.Printf("%v %.3f %v\n", gauss.Names("%.2f kg"), gauss.Weights, err)
	// Output:
	// [0.72 kg 0.89 kg 1.00 kg 1.11 kg 1.28 kg] <nil>
	// [0.43 kg 0.73 kg 1.00 kg 1.27 kg 1.57 kg] [0.011 0.222 0.533 0.222 0.011] <nil>
}

// TestStrata expects the mean of a density and, of a Gauss rule, all its moments up to 2n−1.
func TestStrata(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		low := envtest.Evenly(-10, 10).Draw(t, "low")
		high := low + envtest.Evenly(0.01, 10).Draw(t, "length")
		a, b := envtest.Evenly(0, 3).Draw(t, "a"), envtest.Evenly(0, 3).Draw(t, "b")
		unit := func(x float64) float64 { return (2*x - low - high) / (high - low) } // to [−1, 1]
		density := func(x float64) float64 { return math.Exp(-a*unit(x)) + b*unit(x)*unit(x) }
		moment := func(k int) float64 {
			sum, total := 0.0, 0.0
			for i := range 5_000 {
				x := low + (high-low)*(float64(i)+0.5)/5_000
				sum += density(x) * math.Pow(unit(x), float64(k))
				total += density(x)
			}
			return sum / total
		}
		equal, err := family.EqualStrata(density, low, high, n)
		if err != nil {
			t.Fatal(err)
		}
		gauss, err := family.GaussStrata(density, low, high, n)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []family.Strata{equal, gauss} {
			if err := s.Weights.Validate(); err != nil || len(s.Values) != n {
				t.Fatalf("%v: %v", s, err)
			}
			for i, x := range s.Values {
				if x < low || x > high || i > 0 && x <= s.Values[i-1] {
					t.Fatalf("values %v in [%v, %v]", s.Values, low, high)
				}
			}
		}
		mean := func(s family.Strata, k int) float64 {
			sum := 0.0
			for i, x := range s.Values {
				sum += s.Weights[i] * math.Pow(unit(x), float64(k))
			}
			return sum
		}
		if got, want := mean(equal, 1), moment(1); math.Abs(got-want) > 1e-8 {
			t.Fatalf("mean %v of equal strata, want %v", got, want)
		}
		k := rapid.IntRange(1, 2*n-1).Draw(t, "degree")
		if got, want := mean(gauss, k), moment(k); math.Abs(got-want) > 1e-7 {
			t.Fatalf("moment %d is %v, want %v", k, got, want)
		}
	})
}

// TestStrataOfUniform compares with what is known: quantiles, and the rule of Gauss and
// Legendre.
func TestStrataOfUniform(t *testing.T) {
	one := func(float64) float64 { return 7 }
	equal, err := family.EqualStrata(one, 0, 1, 4)
	if err != nil {
		t.Fatal(err)
	}
	gauss, err := family.GaussStrata(one, -1, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if math.Abs(equal.Values[i]-(float64(i)+0.5)/4) > 1e-9 {
			t.Errorf("values %v", equal.Values)
		}
	}
	for i, want := range []float64{-math.Sqrt(0.6), 0, math.Sqrt(0.6)} {
		if math.Abs(gauss.Values[i]-want) > 1e-7 || math.Abs(gauss.Weights[i]-[]float64{5. / 18, 8. / 18, 5. / 18}[i]) > 1e-7 {
			t.Errorf("values %v with weights %v", gauss.Values, gauss.Weights)
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
		for _, make := range []func(func(float64) float64, float64, float64, int) (family.Strata, error){family.EqualStrata, family.GaussStrata} {
			_, err := make(c.density, c.low, c.high, c.n)
			var input *bcpace.InputError
			if !errors.As(err, &input) || !strings.Contains(err.Error(), words) {
				t.Errorf("got error %v\nwant an *InputError that says %q", err, words)
			}
		}
	}
	spike := func(x float64) float64 {
		if math.Abs(x-0.5) < 2.5e-4 {
			return 1
		}
		return 0
	}
	if _, err := family.GaussStrata(spike, 0, 1, 9); err == nil || !strings.Contains(err.Error(), "n is 9, want 2 at most") {
		t.Errorf("got error %v", err)
	}
}
