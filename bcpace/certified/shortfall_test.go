package certified

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
)

// The tree against a look at every sample, while it grows and its bounds
// tighten: the same bits.
func TestShortfallsAgainstEverySample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := &shortfalls{axes: rapid.IntRange(0, 3).Draw(t, "axes"), latents: rapid.IntRange(1, 4).Draw(t, "latents"),
			lip: rapid.Float64Range(0, 5).Draw(t, "lip")}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		coarse := rapid.Bool().Draw(t, "coarse") // many samples in one place
		if rapid.Bool().Draw(t, "periods") {
			tree.periods = []float64{4, 0, 4.5}[:tree.axes]
		}
		point := func() []float64 {
			x := make([]float64, tree.dim())
			for i := range x[:tree.axes] {
				x[i] = 4 * rng.Float64()
				if coarse {
					x[i] = math.Round(x[i])
				}
			}
			if b := bcpace.Belief(x[tree.axes:]); coarse {
				b[rng.IntN(len(b))] = 1
			} else {
				b.SampleSimplex(rng)
			}
			return x
		}
		for range rapid.IntRange(0, 300).Draw(t, "samples") {
			w := make([]float64, tree.latents)
			for i := range w {
				w[i] = 3 * rng.Float64()
			}
			j := tree.add(point(), w, rng.Float64(), 1+rng.Float64())
			if k := rng.Int32N(j + 1); rng.IntN(2) == 0 {
				tree.raise(k, tree.lo[k]+(1-tree.lo[k])*rng.Float64())
				tree.drop(k, tree.hi[k]-(tree.hi[k]-1)*rng.Float64())
			}
		}
		for range 20 {
			x := point()
			lo, hi := 0.0, math.Inf(1)
			for j := range tree.lo {
				p, w := tree.at(int32(j))
				lo = max(lo, -minusLower(tree, x, p, p, w, tree.lo[j], tree.hi[j]))
				hi = min(hi, upperBound(tree, x, p, p, w, tree.lo[j], tree.hi[j]))
			}
			near, least := int32(-1), 1.5
			for j := range tree.lo {
				p, w := tree.at(int32(j))
				if c := loss(tree, x, p, p, w, 0, 0); c < least {
					near, least = int32(j), c
				}
			}
			if got, _ := tree.search(loss, x, 1.5, math.Inf(-1)); (got < 0) != (near < 0) {
				t.Fatalf("sample %d is near %v, of all samples %d", got, x, near)
			} else if got >= 0 {
				if p, w := tree.at(got); loss(tree, x, p, p, w, 0, 0) != least {
					t.Fatalf("sample %d loses %v on the way to %v, sample %d %v", got, loss(tree, x, p, p, w, 0, 0), x, near, least)
				}
			}
			if got := tree.lower(x, math.Inf(1)); got != lo {
				t.Fatalf("lower bound %v at %v, of all samples %v", got, x, lo)
			}
			if got := tree.upper(x, math.Inf(1)); got != hi {
				t.Fatalf("upper bound %v at %v, of all samples %v", got, x, hi)
			}
			if got := tree.lower(x, lo/2); got < lo/2 || got > lo {
				t.Fatalf("lower bound %v at %v where %v is enough, of all samples %v", got, x, lo/2, lo)
			}
			if got := tree.upper(x, 1.2); got != min(hi, 1.2) {
				t.Fatalf("upper bound %v at %v below 1.2, of all samples %v", got, x, hi)
			}
		}
	})
}

// The carry of a bound holds for the infimum over any vectors of the box 0…w.
func TestShortfallsCarryFromBeliefToBelief(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "latents")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		w, b1, b2 := make([]float64, n), make(bcpace.Belief, n), make(bcpace.Belief, n)
		for i := range w {
			w[i] = 3 * rng.Float64()
		}
		b1.SampleSimplex(rng)
		b2.SampleSimplex(rng)
		vectors := make([][]float64, 4)
		for k := range vectors {
			vectors[k] = make([]float64, n)
			for i := range w {
				vectors[k][i] = w[i] * rng.Float64()
			}
		}
		value := func(b bcpace.Belief) float64 {
			v := math.Inf(1)
			for _, δ := range vectors {
				v = min(v, b.Dot(δ))
			}
			return v
		}
		tree := &shortfalls{latents: n}
		tree.add(b1, w, value(b1), value(b1))
		if lo, hi, v := tree.lower(b2, math.Inf(1)), tree.upper(b2, math.Inf(1)), value(b2); lo > v+1e-12 || hi < v-1e-12 {
			t.Fatalf("[%v, %v] does not hold %v", lo, hi, v)
		}
	})
}

func TestShortfallsDoNotAllocate(t *testing.T) {
	tree, rng := &shortfalls{axes: 2, latents: 2, lip: 1}, rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		p := rng.Float64()
		tree.add([]float64{rng.Float64(), rng.Float64(), p, 1 - p}, []float64{1, 1}, rng.Float64(), 1+rng.Float64())
	}
	x := []float64{0.5, 0.5, 0.3, 0.7}
	if n := testing.AllocsPerRun(100, func() { tree.lower(x, 9); tree.upper(x, 9); tree.search(loss, x, 9, math.Inf(-1)) }); n > 0 {
		t.Errorf("%v allocations in three searches", n)
	}
}

func BenchmarkShortfalls(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		tree, rng := &shortfalls{axes: 2, latents: 2, lip: 1}, rand.New(rand.NewPCG(1, 1))
		for range n {
			x, y := rng.Float64(), rng.Float64()
			d := math.Sin(5*x) * math.Cos(3*y)
			tree.add([]float64{x, y, 0.5, 0.5}, []float64{1, 1}, 1+d/10, 1.1+d/10)
		}
		x := []float64{0, 0, 0.5, 0.5}
		b.Run(map[int]string{100: "100", 1000: "1000", 10_000: "10000"}[n], func(b *testing.B) {
			for b.Loop() {
				x[0], x[1] = rng.Float64(), rng.Float64()
				tree.lower(x, math.Inf(1))
				tree.upper(x, math.Inf(1))
			}
		})
	}
}
