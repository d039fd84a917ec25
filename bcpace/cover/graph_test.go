package cover

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
	"bayescpace/envs/envtest"
)

// brute finds γ, i, α and Γ of a graph of closed neighbourhoods by looking at all
// sets of vertices.
func brute(near []uint32) (domination, separated, independence, upper int) {
	n := len(near)
	all := uint32(1)<<n - 1
	domination, separated = n, n
	for set := range all + 1 {
		covered, independent := uint32(0), true
		for x := set; x != 0; x &= x - 1 {
			v := bits.TrailingZeros32(x)
			covered |= near[v]
			independent = independent && near[v]&set == 1<<v
		}
		size := bits.OnesCount32(set)
		if independent {
			independence = max(independence, size)
		}
		if covered != all {
			continue
		}
		domination = min(domination, size)
		if independent {
			separated = min(separated, size)
		}
		minimal := true
		for x := set; x != 0 && minimal; x &= x - 1 {
			rest, without := set&^(x&-x), uint32(0)
			for y := rest; y != 0; y &= y - 1 {
				without |= near[bits.TrailingZeros32(y)]
			}
			minimal = without != all
		}
		if minimal {
			upper = max(upper, size)
		}
	}
	return domination, separated, independence, upper
}

func solved(t testing.TB, g *NeighbourGraph) Numbers {
	t.Helper()
	x, err := g.Numbers(t.Context(), Options{Exact: true})
	if err != nil || !x.Complete {
		t.Fatalf("%v, complete %v", err, x.Complete)
	}
	return x
}

// dominates reports whether every vertex is in the list or joined to one of it.
func dominates(g *NeighbourGraph, list []int) bool {
	x := make([]uint64, g.words)
	for _, v := range list {
		for i, w := range g.row(v) {
			x[i] |= w
		}
	}
	return count(x) == g.n
}

// isMinimal reports whether list is a minimal cover: it dominates, and does not where any one of it
// is left out.
func isMinimal(g *NeighbourGraph, list []int) bool {
	for i := range list {
		if dominates(g, slices.Delete(slices.Clone(list), i, i+1)) {
			return false
		}
	}
	return dominates(g, list)
}

func checkNumbers(t testing.TB, g *NeighbourGraph, x Numbers, domination, separated, independence, upper int) {
	t.Helper()
	for _, c := range []struct {
		name string
		got  Interval
		want int
	}{{"γ", x.Domination, domination}, {"i", x.Separated, separated}, {"α", x.Independence, independence}, {"Γ", x.Upper, upper}} {
		if c.got.Lower > c.want || c.got.Upper < c.want || x.Complete && !c.got.Exact() {
			t.Errorf("%s is %v, want %d", c.name, c.got, c.want)
		}
	}
	if !isMinimal(g, x.Smallest) || !isMinimal(g, x.Largest) || len(x.Smallest) != x.Domination.Upper || len(x.Largest) != x.Upper.Lower {
		t.Errorf("covers %v and %v for γ %v and Γ %v", x.Smallest, x.Largest, x.Domination, x.Upper)
	}
}

// TestAllGraphs compares with brute force on every labelled graph of up to 6
// vertices: bounds alone, and the search.
func TestAllGraphs(t *testing.T) {
	for n := 0; n <= 6; n++ {
		allGraphs(t, n)
	}
}

// TestAllGraphsOf7 has each graph of 7 vertices in at least one labelling.
func TestAllGraphsOf7(t *testing.T) {
	allGraphs(t, 7)
}

func allGraphs(t *testing.T, n int) {
	pairs := n * (n - 1) / 2
	for edges := range 1 << pairs {
		g, near, e := newGraph(n), make([]uint32, n), 0
		for v := range n {
			near[v] |= 1 << v
			for u := range v {
				if edges>>e&1 != 0 {
					g.join(u, v)
					near[u] |= 1 << v
					near[v] |= 1 << u
				}
				e++
			}
		}
		if n == 7 && !canonicalEnough(near) {
			continue
		}
		a, b, c, d := brute(near)
		checkNumbers(t, g, solved(t, g), a, b, c, d)
		if n < 7 {
			x, err := g.Numbers(t.Context(), Options{Orders: 1})
			if err != nil {
				t.Fatal(err)
			}
			checkNumbers(t, g, x, a, b, c, d)
		}
		if t.Failed() {
			t.Fatalf("graph %b of %d vertices", edges, n)
		}
	}
}

// canonicalEnough keeps graphs whose degrees never fall: at least one labelling of
// each graph.
func canonicalEnough(near []uint32) bool {
	for v := 1; v < len(near); v++ {
		if bits.OnesCount32(near[v]) < bits.OnesCount32(near[v-1]) {
			return false
		}
	}
	return true
}

// TestRandomGraphs compares with brute force on random graphs of up to 12 vertices,
// which are split, merged and bounded in all ways.
func TestRandomGraphs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		p := envtest.Evenly(0, 1).Draw(t, "p")
		g, near := newGraph(n), make([]uint32, n)
		for v := range n {
			near[v] |= 1 << v
			for u := range v {
				if rng.Float64() < p {
					g.join(u, v)
					near[u] |= 1 << v
					near[v] |= 1 << u
				}
			}
		}
		x, err := g.Numbers(context.Background(), Options{Exact: true})
		if err != nil || !x.Complete {
			t.Fatal(err)
		}
		a, b, c, d := brute(near)
		if x.Domination.Lower != a || x.Separated.Lower != b || x.Independence.Lower != c || x.Upper.Lower != d {
			t.Fatalf("%+v, want %d %d %d %d", x, a, b, c, d)
		}
		if !(a <= b && b <= c && c <= d) {
			t.Fatalf("brute force breaks the chain: %d %d %d %d", a, b, c, d)
		}
	})
}

// TestKnownGraphs has closed forms. Those of paths and cycles: γ = i = ⌈n/3⌉ and,
// paths and even cycles having α = Γ, α = Γ = ⌈n/2⌉ and ⌊n/2⌋; a cycle has Γ = ⌊n/2⌋.
func TestKnownGraphs(t *testing.T) {
	path := func(n int) *NeighbourGraph {
		g := newGraph(n)
		for v := 1; v < n; v++ {
			g.join(v-1, v)
		}
		return g
	}
	for n := 1; n <= 40; n++ {
		checkNumbers(t, path(n), solved(t, path(n)), (n+2)/3, (n+2)/3, (n+1)/2, (n+1)/2)
	}
	for n := 3; n <= 40; n++ {
		g := path(n)
		g.join(0, n-1)
		checkNumbers(t, g, solved(t, g), (n+2)/3, (n+2)/3, n/2, n/2)
	}
	for n := 1; n <= 64; n++ { // stars: the leaves are the largest minimal cover
		g := newGraph(n + 1)
		for v := range n {
			g.join(v, n)
		}
		checkNumbers(t, g, solved(t, g), 1, 1, n, n)
		complete := newGraph(n)
		for v := range n {
			for u := range v {
				complete.join(u, v)
			}
		}
		checkNumbers(t, complete, solved(t, complete), 1, 1, 1, 1)
		checkNumbers(t, newGraph(n), solved(t, newGraph(n)), n, n, n, n)
	}
	// Two complete graphs joined by a matching: each side is a minimal cover, while
	// α = 2. Here Γ is far above α.
	for n := 3; n <= 12; n++ {
		g := newGraph(2 * n)
		for v := range n {
			g.join(v, n+v)
			for u := range v {
				g.join(u, v)
				g.join(n+u, n+v)
			}
		}
		checkNumbers(t, g, solved(t, g), 2, 2, 2, n)
	}
	// Hypercubes: γ of Q1 … Q5 is 1, 2, 2, 4, 7 (Östergård and Blass 2001), i is 1,
	// 2, 2, 4, 8, and α = Γ = 2^(d−1), half of the vertices of a bipartite graph with
	// a perfect matching (Cockayne, Favaron, Payan and Thomason 1981).
	for d, c := range [][2]int{{1, 1}, {1, 1}, {2, 2}, {2, 2}, {4, 4}, {7, 8}} {
		g := newGraph(1 << d)
		for v := range 1 << d {
			for k := range d {
				g.join(v, v^1<<k)
			}
		}
		half := max(1, 1<<d/2)
		checkNumbers(t, g, solved(t, g), c[0], c[1], half, half)
	}
	// Square grids 1 … 7: γ 1, 2, 3, 4, 7, 10, 12 (Gonçalves et al. 2011), and
	// α = Γ = ⌈n²/2⌉ as above.
	for k, γ := range []int{1, 2, 3, 4, 7, 10, 12} {
		n := k + 1
		g := newGraph(n * n)
		for v := range n * n {
			if v%n > 0 {
				g.join(v, v-1)
			}
			if v >= n {
				g.join(v, v-n)
			}
		}
		x := solved(t, g)
		checkNumbers(t, g, x, γ, x.Separated.Lower, (n*n+1)/2, (n*n+1)/2)
	}
}

// geometric are points drawn uniformly from a unit cube.
func geometric(n, dim int, seed uint64) *Points {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := &Points{Dim: dim, Coords: make([]float64, n*dim)}
	for i := range p.Coords {
		p.Coords[i] = rng.Float64()
	}
	return p
}

func TestGeometric48(t *testing.T) {
	for _, epsilon := range []float64{0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7} {
		for seed := range uint64(3) {
			for _, dim := range []int{2, 3} {
				x, err := Number(t.Context(), geometric(48, dim, seed), epsilon, Options{Exact: true})
				if err != nil || !x.Complete {
					t.Fatalf("ε = %v: %v, %+v", epsilon, err, x)
				}
				t.Logf("ε = %v, dim %d: γ %v, i %v, α %v, Γ %v", epsilon, dim, x.Domination, x.Separated, x.Independence, x.Upper)
			}
		}
	}
}

// TestTimeout expects bounds, and no claim to more, where the time is too short.
func TestTimeout(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g, err := NewGraph(t.Context(), geometric(120, 2, 1), 0.2)
	if err != nil {
		t.Fatal(err)
	}
	x, err := g.Numbers(ctx, Options{Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	if x.Complete || x.Upper.Exact() || x.Upper.Lower < x.Independence.Lower || !isMinimal(g, x.Largest) {
		t.Errorf("cancelled: %+v", x)
	}
	if y := (Interval{x.Domination.Lower, x.Upper.Upper}); y.Lower < 1 || y.Upper > 120 {
		t.Errorf("bounds %v", y)
	}
}

func TestGraphErrors(t *testing.T) {
	for _, f := range []func() error{
		func() error { _, err := NewGraph(t.Context(), geometric(3, 1, 0), -1); return err },
		func() error { _, err := NewGraph(t.Context(), geometric(3, 1, 0), math.NaN()); return err },
		func() error {
			_, err := NewGraph(t.Context(), &Points{Dim: 1, Coords: make([]float64, 8_001)}, 1)
			return err
		},
		func() error { _, err := NewGraph(t.Context(), strange{}, 1); return err },
		func() error { _, err := Number(t.Context(), geometric(3, 1, 0), 1, Options{Orders: -1}); return err },
	} {
		input := (*bcpace.InputError)(nil)
		if err := f(); !errors.As(err, &input) {
			t.Errorf("%v, want an InputError", err)
		}
	}
}

// strange has distances that are none.
type strange struct{}

func (strange) Len() int                  { return 2 }
func (strange) Distance(_, _ int) float64 { return math.NaN() }

func BenchmarkUpper48(b *testing.B) {
	for _, epsilon := range []float64{0.2, 0.3, 0.4} {
		b.Run(fmt.Sprint(epsilon), func(b *testing.B) {
			p := geometric(48, 2, 1)
			for b.Loop() {
				if _, err := Number(b.Context(), p, epsilon, Options{Exact: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestCutOff: where the time for γ has ended, a smaller cover that the search for separated ones finds is the smallest.
func TestCutOff(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawPoints(t, 20)
		g, err := NewGraph(context.Background(), p, rapid.Float64Range(0, 10).Draw(t, "epsilon")*p.size()/10)
		if err != nil {
			t.Fatal(err)
		}
		s := numberSearch{graph: g, ctx: context.Background(), greedy: g.greedySets(ended, Options{})}
		s.bound(Options{})
		s.searchSeparated()
		s.chain()
		covered := make([]uint64, g.words)
		for _, v := range s.Smallest {
			for i, w := range g.row(v) {
				covered[i] |= w
			}
		}
		if len(s.Smallest) != s.Domination.Upper || count(covered) != g.n {
			t.Fatalf("a cover of %d for γ = %v covers %d of %d", len(s.Smallest), s.Domination, count(covered), g.n)
		}
	})
}
