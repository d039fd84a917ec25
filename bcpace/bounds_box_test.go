package bcpace_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
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

// dual is the oracle of BoxUpper: λ·value + max over the box of (b1−λb2)·α,
// convex and piecewise linear in λ, is least at a breakpoint b1(φ)/b2(φ) or at 0.
func dual(up, lo []float64, b1, b2 bcpace.Belief, value float64) float64 {
	at := func(λ float64) float64 {
		w := make([]float64, len(b1))
		for i := range w {
			w[i] = b1[i] - λ*b2[i]
		}
		return λ*value + support(up, lo, w)
	}
	least := at(0)
	for i := range b1 {
		if b2[i] > 0 {
			least = min(least, at(b1[i]/b2[i]))
		}
	}
	return least
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
		cone := bcpace.BoxCone(up, lo, b1, b2)
		if want := support(up, lo, delta); math.Abs(cone-want) > tiny {
			errorf("BoxCone is %v, want %v", cone, want)
		}
		if cone > (top-bottom)/2*l1+tiny {
			errorf("BoxCone %v is looser than the L1 cone %v", cone, (top-bottom)/2*l1)
		}

		// α is the vector of some policy, and its value at b2 what is known.
		alpha := make([]float64, n)
		for i := range alpha {
			alpha[i] = lo[i] + rng.Float64()*(up[i]-lo[i])
			switch rng.IntN(6) {
			case 0:
				alpha[i] = lo[i]
			case 1:
				alpha[i] = up[i]
			}
		}
		value, truth := product(b2, alpha), product(b1, alpha)
		u, l := bcpace.BoxUpper(up, lo, b1, b2, value), bcpace.BoxLower(up, lo, b1, b2, value)
		if u < truth-tiny || l > truth+tiny {
			errorf("bounds [%v, %v] leave out %v", l, u, truth)
		}
		if want := dual(up, lo, b1, b2, value); math.Abs(u-want) > tiny {
			errorf("BoxUpper is %v, its dual %v", u, want)
		}
		neg := func(x []float64) []float64 {
			y := make([]float64, n)
			for i := range y {
				y[i] = -x[i]
			}
			return y
		}
		if want := -dual(neg(lo), neg(up), b1, b2, -value); math.Abs(l-want) > tiny {
			errorf("BoxLower is %v, its dual %v", l, want)
		}
		ratio := math.Inf(1)
		for i := range b1 {
			if b2[i] > 0 {
				ratio = min(ratio, b1[i]/b2[i])
			}
		}
		sawtooth := product(b1, up) - ratio*(product(b2, up)-value)
		if u > value+cone+tiny || u > product(b1, up)+tiny || u > sawtooth+tiny {
			errorf("BoxUpper %v is looser than the cone %v, the top %v or the sawtooth %v", u, value+cone, product(b1, up), sawtooth)
		}
		if got := bcpace.BoxUpper(up, lo, b2, b2, value); math.Abs(got-value) > tiny {
			errorf("BoxUpper at its own belief is %v, want %v", got, value)
		}
		// Values that no α of the box has: no more than the box is learned.
		if got := bcpace.BoxUpper(up, lo, b1, b2, 1e6); math.Abs(got-product(b1, up)) > tiny {
			errorf("BoxUpper without knowledge is %v, want %v", got, product(b1, up))
		}
		if got := bcpace.BoxLower(up, lo, b1, b2, -1e6); math.Abs(got-product(b1, lo)) > tiny {
			errorf("BoxLower without knowledge is %v, want %v", got, product(b1, lo))
		}
	}
}

func BenchmarkBox(b *testing.B) {
	for _, n := range []int{2, 6, 64} {
		rng := rand.New(rand.NewPCG(1, 1))
		up, lo, b1, b2 := box(rng, n)
		value := (product(b2, up) + product(b2, lo)) / 2
		b.Run(fmt.Sprintf("cone/latents=%d", n), func(b *testing.B) {
			for b.Loop() {
				bcpace.BoxCone(up, lo, b1, b2)
			}
		})
		b.Run(fmt.Sprintf("upper/latents=%d", n), func(b *testing.B) {
			for b.Loop() {
				bcpace.BoxUpper(up, lo, b1, b2, value)
			}
		})
	}
}
