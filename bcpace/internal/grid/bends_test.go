package grid

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestBends: with the bends of a quadratic function, taken on a coarse grid, the
// interpolation of its values on a fine one is exact everywhere, on any number of axes.
func TestBends(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for n := 1; n <= 6; n++ {
		axes := []RegularAxis{{Min: 3, Step: 1, Points: 2, Discrete: true}}
		for range n {
			axes = append(axes, RegularAxis{Min: rng.Float64() - 1, Step: 0.1 + rng.Float64(), Points: 4 + rng.IntN(2)})
		}
		axes = append(axes, RegularAxis{Min: 0, Step: 1, Points: 1})
		curve := make([]float64, n*n)
		for i := range curve {
			curve[i] = rng.NormFloat64()
		}
		f := func(s []float64, class int) float64 {
			v := s[0] * float64(1+class)
			for i := range n {
				v += s[1+i] * float64(i)
				for j := range n {
					v += curve[i*n+j] * s[1+i] * s[1+j] * float64(1+class)
				}
			}
			return v
		}
		values := func(g Grid) []float64 {
			var all []float64
			s := make([]float64, len(axes))
			for p := range g.Len() {
				g.At(s, p)
				all = append(all, f(s, 0), f(s, 1))
			}
			return all
		}
		fixed, top := make([]float64, len(axes)), make([]float64, len(axes))
		for i := range top {
			top[i] = math.Inf(1)
		}
		fine, coarse := New(axes, fixed, top), New(Coarser(axes), fixed, top)
		b := BendsOf(coarse.axes, values(coarse), 2).On(coarse, fine)
		table := values(fine)
		for range 200 {
			s := make([]float64, len(axes))
			s[0] = float64(3 + rng.IntN(2))
			for i, a := range axes[1 : 1+n] {
				s[1+i] = a.Min + rng.Float64()*a.Step*a.Cells()
			}
			var at Location
			if !fine.Locate(&at, s) {
				t.Fatalf("%v is off the grid", s)
			}
			for class := range 2 {
				sum, total := b.Correction(&at, at.Nearest(), class), 0.0
				for i := range at.Len() {
					p, w := at.At(i)
					sum += w * table[2*p+class]
					total += w
					if w < 0 {
						t.Fatalf("weight %v", w)
					}
				}
				if want := f(s, class); math.Abs(sum-want) > 1e-9 || math.Abs(total-1) > 1e-12 {
					t.Fatalf("%d axes: %v with weights of sum %v, want %v", n, sum, total, want)
				}
			}
		}
		if want := n + 1; n > MaxMultilinear {
			var at Location
			s := make([]float64, len(axes))
			fine.At(s, 0)
			for i, a := range axes[1 : 1+n] {
				s[1+i] += a.Step * (0.1 + 0.05*float64(i))
			}
			if fine.Locate(&at, s); at.Len() != want {
				t.Errorf("%d axes: %d points around a place, want %d", n, at.Len(), want)
			}
		}
	}
}

// TestBendsRound: on an axis that wraps, second differences go round, and so does a
// correction.
func TestBendsRound(t *testing.T) {
	const n = 32
	axes := []RegularAxis{{Min: 0, Step: 2 * math.Pi / n, Points: n, Wraps: true}}
	values := make([]float64, n)
	for i := range values {
		values[i] = math.Sin(axes[0].Step * float64(i))
	}
	b := BendsOf(axes, values, 1)
	worst := 0.0
	for i := range 1000 {
		x := 2 * math.Pi * float64(i) / 1000
		var at Location
		at.Locate(axes, []float64{x})
		sum := b.Correction(&at, at.Nearest(), 0)
		for i := range at.Len() {
			p, w := at.At(i)
			sum += w * values[p]
		}
		worst = max(worst, math.Abs(sum-math.Sin(x)))
	}
	if straight := 1 - math.Cos(math.Pi/n); worst > straight/3 {
		t.Errorf("off by %v, want less than a third of the %v without a correction", worst, straight)
	}
}
