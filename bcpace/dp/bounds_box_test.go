package dp_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
)

// box draws faces lo ≤ up, some of them equal, and two beliefs that may have
// zeros and may be the same.
func box(rng *rand.Rand, n int) (up, lo []float64, b1, b2 bcpace.Belief) {
	up, lo, b1, b2 = make([]float64, n), make([]float64, n), make(bcpace.Belief, n), make(bcpace.Belief, n)
	b1.SampleSimplex(rng)
	b2.SampleSimplex(rng)
	for _, b := range []bcpace.Belief{b1, b2} {
		if i := rng.IntN(2 * n); i < n && n > 1 {
			b[(i+1)%n] += b[i]
			b[i] = 0
		}
	}
	if rng.IntN(5) == 0 {
		copy(b2, b1)
	}
	for i := range up {
		lo[i] = 200*rng.Float64() - 100
		up[i] = lo[i] + 50*rng.Float64()
		if rng.IntN(8) == 0 {
			up[i] = lo[i]
		}
	}
	return up, lo, b1, b2
}

// support is Σ_φ max(w_φ·up_φ, w_φ·lo_φ), the largest w·α in the box.
func support(up, lo, w []float64) float64 {
	sum := 0.0
	for i, x := range w {
		sum += max(x*up[i], x*lo[i])
	}
	return sum
}

func TestBoxBounds(t *testing.T) {
	for seed := range uint64(20000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := 1 + rng.IntN(8)
		up, lo, b1, b2 := box(rng, n)
		const tiny = 1e-10
		errorf := func(format string, args ...any) {
			t.Fatalf("seed %d: %s\nup %v\nlo %v\nb1 %v\nb2 %v", seed, fmt.Sprintf(format, args...), up, lo, b1, b2)
		}

		delta, l1 := make([]float64, n), b1.L1(b2)
		top, bottom := math.Inf(-1), math.Inf(1)
		for i := range delta {
			delta[i] = b1[i] - b2[i]
			top, bottom = max(top, up[i]), min(bottom, lo[i])
		}
		cone := dp.BoxCone(up, lo, b1, b2)
		if want := support(up, lo, delta); math.Abs(cone-want) > tiny {
			errorf("BoxCone is %v, want %v", cone, want)
		}
		if cone > (top-bottom)/2*l1+tiny {
			errorf("BoxCone %v is looser than the L1 cone %v", cone, (top-bottom)/2*l1)
		}
	}
}

func BenchmarkBox(b *testing.B) {
	for _, n := range []int{2, 6, 64} {
		rng := rand.New(rand.NewPCG(1, 1))
		up, lo, b1, b2 := box(rng, n)
		b.Run(fmt.Sprintf("cone/latents=%d", n), func(b *testing.B) {
			for b.Loop() {
				dp.BoxCone(up, lo, b1, b2)
			}
		})
	}
}
