package alpha_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace/alpha"
)

// Two policies for a hidden left or right: one bets on left, one waits.
func ExampleSet() {
	s := alpha.NewSet(2)
	s.Add([]float64{10, -20}, 0)             // bet on left
	s.Add([]float64{1, 1}, 1)                // wait
	fmt.Println(s.Add([]float64{9, -20}, 0)) // a worse bet
	i, v := s.Best([]float64{0.9, 0.1})
	fmt.Println(s.Action(i), v)
	// Output:
	// false
	// 0 7
}

// vectors draws entries from a lattice, so that vectors tie, coincide and
// dominate one another, and all sums are exact.
func vectors(dim int) *rapid.Generator[[]float64] {
	return rapid.SliceOfN(rapid.Map(rapid.IntRange(-4, 4), func(i int) float64 { return float64(i) }), dim, dim)
}

// weights draws beliefs, up to their scale, with exact entries.
func weights(dim int) *rapid.Generator[[]float64] {
	return rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 4), func(i int) float64 { return float64(i) / 4 }), dim, dim)
}

// The upper surface is the maximum over all vectors ever added, no vector is at
// most another one, and ties go to the older one.
func TestSetAgainstAllVectorsEverAdded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 9).Draw(t, "dim")
		s := alpha.NewSet(dim)
		var all [][]float64
		for i, v := range rapid.SliceOfN(vectors(dim), 1, 30).Draw(t, "vectors") {
			before := s.Clone()
			dominated := slices.ContainsFunc(all, func(w []float64) bool { return atMost(v, w) })
			if added := s.Add(v, i); added == dominated {
				t.Fatalf("Add(%v) is %v among %v", v, added, all)
			} else if !added && !equal(s, before) {
				t.Fatal("a refused vector changes the set")
			}
			all = append(all, v)
		}
		for i := range s.Len() {
			for j := range s.Len() {
				if i != j && atMost(s.Vector(i), s.Vector(j)) {
					t.Fatalf("vector %v stays beside %v", s.Vector(i), s.Vector(j))
				}
			}
			if !slices.Equal(s.Vector(i), all[s.Action(i)]) || i > 0 && s.Action(i) <= s.Action(i-1) {
				t.Fatal("vectors and actions are not those added, in their order")
			}
		}
		for _, b := range rapid.SliceOfN(weights(dim), 1, 10).Draw(t, "beliefs") {
			want := math.Inf(-1)
			for _, v := range all {
				want = max(want, alpha.Dot(b, v))
			}
			i, got := s.Best(b)
			if got != want || s.Value(b) != want {
				t.Fatalf("value at %v is %v, the best vector gives %v", b, got, want)
			}
			if first := slices.IndexFunc(indices(s.Len()), func(j int) bool { return alpha.Dot(b, s.Vector(j)) == want }); i != first {
				t.Fatalf("Best at %v is %d, the first of the best is %d", b, i, first)
			}
		}
	})
}

func TestPruneKeepsTheSurfaceAtItsPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 6).Draw(t, "dim")
		s := alpha.NewSet(dim)
		for i, v := range rapid.SliceOfN(vectors(dim), 0, 30).Draw(t, "vectors") {
			s.Add(v, i)
		}
		var points, want []float64
		for _, b := range rapid.SliceOfN(weights(dim), 0, 6).Draw(t, "points") {
			points, want = append(points, b...), append(want, s.Value(b))
		}
		n := s.Len()
		if removed := s.Prune(points); removed != n-s.Len() || s.Len() > len(want) {
			t.Fatalf("%d of %d vectors removed, %d left for %d points", removed, n, s.Len(), len(want))
		}
		for i, v := range want {
			if got := s.Value(points[i*dim : (i+1)*dim]); got != v {
				t.Fatalf("value at point %d was %v, is %v", i, v, got)
			}
		}
	})
}

// FuzzSet adds the vectors made of bytes and compares as above, for entries of
// very different sizes, to within the rounding that Best promises.
func FuzzSet(f *testing.F) {
	f.Fuzz(func(t *testing.T, d uint8, data []byte) {
		dim := 1 + int(d%8)
		s := alpha.NewSet(dim)
		var all [][]float64
		for len(data) >= dim && len(all) < 100 {
			v := make([]float64, dim)
			for i, c := range data[:dim] {
				v[i] = math.Ldexp(float64(c%16)-8, int(c/16)*3)
			}
			data = data[dim:]
			s.Add(v, len(all))
			all = append(all, v)
		}
		rng := rand.New(rand.NewPCG(uint64(d), uint64(len(all))))
		b := make([]float64, dim)
		for range 10 {
			for i := range b {
				b[i] = rng.Float64()
			}
			want, size := math.Inf(-1), 0.0
			for _, v := range all {
				want = max(want, alpha.Dot(b, v))
				sum := 0.0
				for i, x := range v {
					sum += math.Abs(b[i] * x)
				}
				size = max(size, sum)
			}
			if i, got := s.Best(b); math.Abs(got-want) > 2*float64(dim)*0x1p-53*size && len(all) > 0 || (i < 0) != (len(all) == 0) {
				t.Fatalf("value at %v is %v, want %v", b, got, want)
			}
		}
	})
}

func TestDotOfEveryLength(t *testing.T) {
	for n := range 40 {
		b, v, want := make([]float64, n), make([]float64, n+1), 0.0
		for i := range b {
			b[i], v[i] = float64(i+1), float64(2*i-7)
			want += b[i] * v[i]
		}
		if got := alpha.Dot(b, v); got != want {
			t.Errorf("Dot of %d entries is %v, want %v", n, got, want)
		}
	}
}

func TestMisuse(t *testing.T) {
	s := alpha.NewSet(2)
	if i, v := s.Best([]float64{1, 0}); i != -1 || !math.IsInf(v, -1) {
		t.Errorf("the best of an empty set is %d, %v", i, v)
	}
	for name, f := range map[string]func(){
		"dimension": func() { alpha.NewSet(0) },
		"length":    func() { s.Add([]float64{1}, 0) },
		"NaN":       func() { s.Add([]float64{1, math.NaN()}, 0) },
		"infinity":  func() { s.Add([]float64{1, math.Inf(1)}, 0) },
		"points":    func() { s.Prune([]float64{1, 0, 1}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func TestBestDoesNotAllocate(t *testing.T) {
	for _, dim := range []int{1, 2, 3, 4, 7} {
		s, points := random(dim, 50)
		if n := testing.AllocsPerRun(100, func() { s.Best(points[:dim]) }); n != 0 {
			t.Errorf("dimension %d: %v allocations", dim, n)
		}
	}
}

func atMost(v, w []float64) bool {
	for i := range v {
		if v[i] > w[i] {
			return false
		}
	}
	return true
}

func equal(s, r *alpha.Set) bool {
	if s.Len() != r.Len() {
		return false
	}
	for i := range s.Len() {
		if s.Action(i) != r.Action(i) || !slices.Equal(s.Vector(i), r.Vector(i)) {
			return false
		}
	}
	return true
}

func indices(n int) []int {
	x := make([]int, n)
	for i := range x {
		x[i] = i
	}
	return x
}

// random makes n tangent vectors of a convex surface, none of which dominates
// another, and n beliefs.
func random(dim, n int) (*alpha.Set, []float64) {
	rng := rand.New(rand.NewPCG(uint64(dim), uint64(n)))
	belief := func() []float64 {
		b, sum := make([]float64, dim), 0.0
		for i := range b {
			b[i] = rng.ExpFloat64()
			sum += b[i]
		}
		for i := range b {
			b[i] /= sum
		}
		return b
	}
	s := alpha.NewSet(dim)
	var points []float64
	for i := range n {
		b, v := belief(), make([]float64, dim)
		square := alpha.Dot(b, b)
		for j := range v {
			v[j] = 2*b[j] - square // the tangent of |b|² on the simplex
		}
		s.Add(v, i)
		points = append(points, belief()...)
	}
	return s, points
}

func BenchmarkBest(b *testing.B) {
	for _, c := range [][2]int{{2, 100}, {3, 100}, {6, 100}, {6, 1000}, {64, 1000}} {
		b.Run(fmt.Sprintf("latents=%d/vectors=%d", c[0], c[1]), func(b *testing.B) {
			s, points := random(c[0], c[1])
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				s.Best(points[i : i+c[0]])
				if i += c[0]; i == len(points) {
					i = 0
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(s.Len()), "ns/vector")
		})
	}
}

// Vectors that come by Append count at once, and after Settle the set is what
// Add makes of the same vectors.
func TestAppendAndSettle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 5).Draw(t, "dim")
		want, got, all := alpha.NewSet(dim), alpha.NewSet(dim), alpha.NewSet(dim)
		for i, v := range rapid.SliceOfN(vectors(dim), 1, 30).Draw(t, "vectors") {
			want.Add(v, i)
			all.Append(v, i)
			if rapid.Bool().Draw(t, "append") {
				got.Append(v, i)
			} else {
				got.Add(v, i)
			}
			if b := weights(dim).Draw(t, "weights"); got.Value(b) != want.Value(b) || all.Value(b) != want.Value(b) {
				t.Fatalf("values %v and %v at %v, want %v", got.Value(b), all.Value(b), b, want.Value(b))
			}
			if all.Len() != i+1 {
				t.Fatalf("%d vectors after %d have been appended", all.Len(), i+1)
			}
		}
		for _, s := range []*alpha.Set{got, all} {
			s.Settle()
			if s.Len() != want.Len() {
				t.Fatalf("%d vectors, want %d", s.Len(), want.Len())
			}
			for i := range want.Len() {
				if s.Action(i) != want.Action(i) || !slices.Equal(s.Vector(i), want.Vector(i)) {
					t.Fatalf("vector %d is %v of %d, want %v of %d", i, s.Vector(i), s.Action(i), want.Vector(i), want.Action(i))
				}
			}
		}
	})
}

// The vectors from an index on are those of a set without the ones before.
func TestBestFrom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 5).Draw(t, "dim")
		s := alpha.NewSet(dim)
		for i, v := range rapid.SliceOfN(vectors(dim), 1, 12).Draw(t, "vectors") {
			s.Add(v, i)
		}
		first, b := rapid.IntRange(0, s.Len()).Draw(t, "first"), weights(dim).Draw(t, "weights")
		index, value := -1, math.Inf(-1)
		for i := first; i < s.Len(); i++ {
			if v := alpha.Dot(b, s.Vector(i)); v > value {
				index, value = i, v
			}
		}
		if i, v := s.BestFrom(b, first); i != index || v != value {
			t.Fatalf("BestFrom(%v, %d) = %d, %v, want %d, %v", b, first, i, v, index, value)
		}
	})
}
