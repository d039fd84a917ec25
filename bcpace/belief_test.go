package bcpace_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
	"bayescpace/envs/envtest"
)

// drawBelief draws a belief over 1 to 6 latents, with zeros and tiny entries.
func drawBelief(t *rapid.T, label string, n int) bcpace.Belief {
	weight := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(1e-300, 1e-250), envtest.Evenly(0, 1))
	for {
		b := bcpace.Belief(rapid.SliceOfN(weight, n, n).Draw(t, label))
		sum := 0.0
		for _, x := range b {
			sum += x
		}
		if sum < 1e-200 { // dividing by less would lose digits
			b[0], sum = 1, sum+1-b[0]
		}
		for i := range b {
			b[i] /= sum
		}
		if b.Validate() == nil {
			return b
		}
	}
}

func latentCount(t *rapid.T) int { return rapid.IntRange(1, 6).Draw(t, "latents") }

func TestNearestOneHot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := latentCount(t)
		b := drawBelief(t, "b", n)
		latent, distance := b.NearestOneHot()
		if got := b.L1(bcpace.OneHot(n, latent)); math.Abs(got-distance) > 1e-9 {
			t.Errorf("distance %v to latent %d, want %v", distance, latent, got)
		}
		for i := range n {
			if d := b.L1(bcpace.OneHot(n, i)); d < distance-1e-9 {
				t.Errorf("latent %d is at %v, nearer than %d at %v", i, d, latent, distance)
			}
			if i < latent && b[i] == b[latent] {
				t.Errorf("latent %d ties with %d, want the first", i, latent)
			}
		}
	})
	// Near a vertex, 1 − b(φ) would be 0.
	if _, d := (bcpace.Belief{1, 1e-30}).NearestOneHot(); d != 2e-30 {
		t.Errorf("distance %v, want 2e-30", d)
	}
}

func TestBeliefL1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := latentCount(t)
		a, b, c := drawBelief(t, "a", n), drawBelief(t, "b", n), drawBelief(t, "c", n)
		if a.L1(a) != 0 || a.L1(b) != b.L1(a) || a.L1(b) > 2+1e-9 || a.L1(c) > a.L1(b)+b.L1(c)+1e-12 {
			t.Errorf("L1 is no metric with diameter 2: %v %v %v", a.L1(b), b.L1(c), a.L1(c))
		}
	})
}

func TestBeliefSample(t *testing.T) {
	const n = 20000
	rng := rand.New(rand.NewPCG(1, 2))
	b := bcpace.Belief{0, 0.3, 0, 0.7, 0}
	var counts [5]float64
	for range n {
		counts[b.Sample(rng)]++
	}
	for i, p := range b {
		// Hoeffding: beyond this with probability 2e-10.
		if d := math.Abs(counts[i]/n - p); d > math.Sqrt(math.Log(1e10)/(2*n)) || p == 0 && counts[i] > 0 {
			t.Errorf("latent %d drawn with frequency %v, want %v", i, counts[i]/n, p)
		}
	}
}

// TestBeliefSampleRounding draws from a belief whose sum is a little short of 1:
// what is left must go to a latent that is possible.
func TestBeliefSampleRounding(t *testing.T) {
	b := bcpace.Belief{0.5 - 1e-10, 0.5, 0}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		if b.Sample(rng) == 2 {
			t.Fatal("drew a latent of probability 0")
		}
	}
}

func TestSampleSimplex(t *testing.T) {
	const n = 20000
	rng := rand.New(rand.NewPCG(1, 2))
	b := make(bcpace.Belief, 4)
	above, mean := 0.0, make([]float64, 4)
	for range n {
		b.SampleSimplex(rng)
		if err := b.Validate(); err != nil {
			t.Fatal(err)
		}
		if b[0] > 0.5 {
			above++
		}
		for i, x := range b {
			mean[i] += x / n
		}
	}
	// Uniform on the simplex, an entry is Beta(1, 3): P(b > ½) = (½)³.
	tol := math.Sqrt(math.Log(1e10) / (2 * n))
	if math.Abs(above/n-1.0/8) > tol {
		t.Errorf("P(b[0] > ½) is %v, want 1/8", above/n)
	}
	for i, m := range mean {
		if math.Abs(m-0.25) > tol {
			t.Errorf("mean of entry %d is %v, want ¼", i, m)
		}
	}
}

func TestBeliefValidate(t *testing.T) {
	for _, b := range []bcpace.Belief{{}, {0.5}, {0.5, 0.6}, {-0.1, 1.1}, {math.NaN(), 1}, {math.Inf(1)}, {0.5, 0.5 + 1e-8}} {
		var input *bcpace.InputError
		if err := b.Validate(); !errors.As(err, &input) {
			t.Errorf("%v: got %v, want an *InputError", []float64(b), err)
		}
	}
	if err := (bcpace.Belief{0.5, 0.5 + 1e-10}).Validate(); err != nil {
		t.Errorf("a rounding error: %v", err)
	}
}
