package cover

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
)

// TestLine has points at 0 … n−1 on a line and ε a whole number: the graph is a
// power of a path, with γ = i = ⌈n/(2ε+1)⌉ and α = Γ = ⌈n/(ε+1)⌉.
func TestLine(t *testing.T) {
	for n := range 30 {
		p := &Points{Dim: 1}
		for i := range n {
			p.Coords = append(p.Coords, float64(i))
		}
		for epsilon := range 8 {
			x, err := Number(t.Context(), p, float64(epsilon), Options{Exact: true})
			if err != nil || !x.Complete {
				t.Fatal(err)
			}
			small, large := (n+2*epsilon)/(2*epsilon+1), (n+epsilon)/(epsilon+1)
			if x.Domination.Lower != small || x.Separated.Lower != small || x.Independence.Lower != large || x.Upper.Lower != large {
				t.Errorf("%d points, ε = %d: %+v, want %d and %d", n, epsilon, x, small, large)
			}
			net, err := Net(t.Context(), p, float64(epsilon), nil)
			if err != nil || len(net) != large {
				t.Errorf("%d points, ε = %d: net %v, %v", n, epsilon, net, err)
			}
		}
	}
}

// isNet checks the two properties of a net by looking at all pairs.
func isNet(s Space, net []int, epsilon float64) bool {
	for k, i := range net {
		for _, j := range net[:k] {
			if s.Distance(i, j) <= epsilon {
				return false
			}
		}
	}
	for i := range s.Len() {
		if !slices.ContainsFunc(net, func(j int) bool { return s.Distance(i, j) <= epsilon }) {
			return false
		}
	}
	return true
}

// TestRadius: the radius of a cover is the largest of all points' distances to it.
func TestRadius(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPoints(t, 60)
		p.Norm = rapid.SampledFrom([]Norm{L1, L2, Max}).Draw(t, "norm")
		list := rapid.SliceOfNDistinct(rapid.IntRange(0, p.Len()-1), 0, p.Len(), rapid.ID[int]).Draw(t, "cover")
		want := -1.0
		nearest := func(i int) float64 {
			least := math.Inf(1)
			for _, j := range list {
				least = min(least, p.Distance(i, j))
			}
			return least
		}
		for i := range p.Len() {
			want = max(want, nearest(i))
		}
		radius, farthest, err := Radius(t.Context(), p, p.Pick(list))
		if err != nil || radius != want || nearest(farthest) != want {
			t.Fatalf("%v at %d, %v; want %v", radius, farthest, err, want)
		}
	})
	line := &Points{Dim: 1, Coords: []float64{1, 2}}
	if radius, farthest, err := Radius(t.Context(), &Points{}, line); radius != 0 || farthest != -1 || err != nil {
		t.Error(radius, farthest, err)
	}
	input := (*bcpace.InputError)(nil)
	for _, other := range []*Points{{Dim: 2, Coords: []float64{1, 2}}, {Dim: 1, Norm: Max, Coords: []float64{1}}, {Dim: 1, Periods: []float64{3}, Coords: []float64{1}}} {
		if _, _, err := Radius(t.Context(), line, other); !errors.As(err, &input) {
			t.Error(err)
		}
	}
}

// drawPoints makes points with repetitions, ties and kinds.
func drawPoints(t *rapid.T, most int) *Points {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
	n, dim := rapid.IntRange(1, most).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "dim")
	unit := math.Ldexp(1, rapid.IntRange(-60, 60).Draw(t, "unit"))
	p := &Points{Dim: dim}
	whole := rapid.Bool().Draw(t, "whole")
	for range n * dim {
		x := rng.Float64() * 8
		if whole {
			x = math.Floor(x)
		}
		p.Coords = append(p.Coords, x*unit)
	}
	if rapid.Bool().Draw(t, "kinds") {
		for range n {
			p.Kind = append(p.Kind, int32(rng.IntN(3)))
		}
	}
	return p
}

func drawEpsilon(t *rapid.T, p *Points) float64 {
	i, j := rapid.IntRange(0, p.Len()-1).Draw(t, "i"), rapid.IntRange(0, p.Len()-1).Draw(t, "j")
	if d := p.Distance(i, j); !math.IsInf(d, 1) {
		return d // a tie
	}
	return 0
}

// TestNets expects nets of every kind to be nets, and the bounds for many points to
// hold for few, whose numbers are known.
func TestNets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPoints(t, 40)
		epsilon := drawEpsilon(t, p)
		ctx := context.Background()
		order := shuffled[int](p.Len(), rapid.Uint64().Draw(t, "order"), 0)
		for _, o := range [][]int{nil, order} {
			net, err := Net(ctx, p, epsilon, o)
			if err != nil || !isNet(p, net, epsilon) {
				t.Fatalf("net %v of %+v at %v: %v", net, p, epsilon, err)
			}
		}
		far, err := FarthestFirst(ctx, p, TraversalOptions{First: order[0]})
		if err != nil || far.Rest != 0 || !isNet(p, far.Order[:far.Size(epsilon)], epsilon) {
			t.Fatalf("farthest-first net %v, %v", far, err)
		}
		if !slices.IsSortedFunc(far.Radius, func(x, y float64) int { return -cmpFloat(x, y) }) {
			t.Fatalf("radii rise: %v", far.Radius)
		}
		exact, err := Number(ctx, p, epsilon, Options{Exact: true})
		if err != nil || !exact.Complete {
			t.Fatal(err)
		}
		many := boundsOfMany(ctx, t, p, epsilon)
		for _, c := range [][2]Interval{{many.Domination, exact.Domination}, {many.Separated, exact.Separated},
			{many.Independence, exact.Independence}, {many.Upper, exact.Upper}} {
			if !c[1].Exact() || c[0].Lower > c[1].Lower || c[0].Upper < c[1].Upper {
				t.Fatalf("bounds %v against %v at ε = %v of %+v", c[0], c[1], epsilon, p)
			}
		}
		if c := [4]int{exact.Domination.Lower, exact.Separated.Lower, exact.Independence.Lower, exact.Upper.Lower}; !slices.IsSorted(c[:]) {
			t.Fatalf("the chain is broken: %v", c)
		}
	})
}

func cmpFloat(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// TestColumns is the set of the package comment whose Γ grows without limit while
// α = 2. Whole numbers stand for its coordinates.
func TestColumns(t *testing.T) {
	for _, n := range []int{2, 5, 20, 40} {
		p := &Points{Dim: 2}
		for column := range 2 {
			for j := range n {
				p.Coords = append(p.Coords, float64(column*n*n), float64(j))
			}
		}
		x, err := Number(t.Context(), p, float64(n*n), Options{Exact: true})
		if err != nil || !x.Complete || x.Independence.Lower != 2 || x.Upper.Lower != n {
			t.Errorf("%d mates: %+v, %v", n, x, err)
		}
	}
}

// TestFirstComeSamples draws sequences that obey the rule of known queries and
// expects at most k·α samples, the proof of the package comment.
func TestFirstComeSamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, k := drawPoints(t, 25), rapid.IntRange(1, 4).Draw(t, "k")
		radius := drawEpsilon(t, p)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "visits"), 3))
		var samples []int
		for range 60 * k {
			i, near := rng.IntN(p.Len()), 0
			for _, j := range samples {
				if p.Distance(i, j) <= radius {
					near++
				}
			}
			if near < k {
				samples = append(samples, i)
			}
		}
		x, err := Number(context.Background(), p, radius, Options{Exact: true})
		if err != nil || len(samples) > k*x.Independence.Lower {
			t.Fatalf("%d samples with k = %d, α = %v, %v", len(samples), k, x.Independence, err)
		}
	})
}

func TestEdgeCases(t *testing.T) {
	point := func(x ...float64) *Points { return &Points{Dim: 1, Coords: x} }
	for _, c := range []struct {
		name    string
		p       *Points
		epsilon float64
		want    [4]int
		points  int
	}{
		{"empty", &Points{}, 1, [4]int{}, 0},
		{"one", point(3), 1, [4]int{1, 1, 1, 1}, 1},
		{"one at 0", point(3), 0, [4]int{1, 1, 1, 1}, 1},
		{"duplicates", point(3, 3, 3, 5), 1, [4]int{2, 2, 2, 2}, 4},
		{"duplicates at 0", point(3, 3, 5, 0, math.Copysign(0, -1)), 0, [4]int{3, 3, 3, 3}, 5},
		{"a tie", point(0, 1, 2), 1, [4]int{1, 1, 2, 2}, 3},
		{"tiny", point(0, 1e-300, 2e-300), 1e-300, [4]int{1, 1, 2, 2}, 3},
		{"kinds", &Points{Dim: 1, Coords: []float64{1, 1, 1}, Kind: []int32{0, 1, 0}}, 9, [4]int{2, 2, 2, 2}, 3},
	} {
		x, err := Number(t.Context(), c.p, c.epsilon, Options{Exact: true})
		if got := [4]int{x.Domination.Lower, x.Separated.Lower, x.Independence.Lower, x.Upper.Lower}; err != nil || !x.Complete || got != c.want || x.Points != c.points {
			t.Errorf("%s: %+v, %v, want %v", c.name, x, err, c.want)
		}
		if net, err := Net(t.Context(), c.p, c.epsilon, nil); err != nil || len(net) < c.want[1] || len(net) > c.want[2] {
			t.Errorf("%s: net %v, %v", c.name, net, err)
		}
		if far, err := FarthestFirst(t.Context(), c.p, TraversalOptions{}); err != nil || far.Size(c.epsilon) < c.want[1] || far.Size(c.epsilon) > c.want[2] || far.Size(math.NaN()) != -1 {
			t.Errorf("%s: order %+v, %v", c.name, far, err)
		}
	}
	input := (*bcpace.InputError)(nil)
	for name, p := range map[string]*Points{"NaN": point(1, math.NaN()), "infinite": point(math.Inf(1)), "huge": point(1e200),
		"odd": {Dim: 2, Coords: []float64{1, 2, 3}}, "kinds": {Dim: 1, Coords: []float64{1}, Kind: []int32{1, 2}}, "negative": {Dim: -1}} {
		if _, err := Number(t.Context(), p, 1, Options{}); !errors.As(err, &input) {
			t.Errorf("%s: Number: %v", name, err)
		}
		if _, err := Net(t.Context(), p, 1, nil); !errors.As(err, &input) {
			t.Errorf("%s: Net: %v", name, err)
		}
		if _, err := FarthestFirst(t.Context(), p, TraversalOptions{}); !errors.As(err, &input) {
			t.Errorf("%s: FarthestFirst: %v", name, err)
		}
	}
	for name, f := range map[string]func() error{
		"mixed":     func() error { _, err := FromRows([][]float64{{1, 2}, {1}}); return err },
		"no column": func() error { _, err := FromRows([][]float64{{}}); return err },
		"square": func() error {
			_, err := Net(t.Context(), &Points{Dim: 1, Norm: L2, Coords: []float64{0}}, 1e-160, nil)
			return err
		},
		"order":  func() error { _, err := Net(t.Context(), point(0, 1), 1, []int{0, 0}); return err },
		"short":  func() error { _, err := Net(t.Context(), point(0, 1), 1, []int{0}); return err },
		"first":  func() error { _, err := FarthestFirst(t.Context(), point(0), TraversalOptions{First: 1}); return err },
		"rising": func() error { _, err := NewCurve(t.Context(), point(0), []float64{1, 2}, CurveOptions{}); return err },
		"none":   func() error { _, err := NewCurve(t.Context(), point(0), nil, CurveOptions{}); return err },
		"flat": func() error {
			c, err := NewCurve(t.Context(), point(0), []float64{2, 1}, CurveOptions{})
			if err != nil {
				return err
			}
			_, err = c.Dimension()
			return err
		},
	} {
		if err := f(); !errors.As(err, &input) {
			t.Errorf("%s: %v, want an InputError", name, err)
		}
	}
	if p, err := FromRows(nil); err != nil || p.Len() != 0 {
		t.Errorf("no rows: %v, %v", p, err)
	}
}

// TestDimension expects the dimension of lattices, whose covers are known to grow
// like it, and of uniform points.
func TestDimension(t *testing.T) {
	low := []float64{1: 0.006, 2: 0.07, 3: 0.17}
	for dim, side := range []int{1: 3000, 2: 90, 3: 20} {
		if dim == 0 {
			continue
		}
		p := &Points{Dim: dim}
		n := 1
		for range dim {
			n *= side
		}
		for i := range n {
			for x, c := i, 0; c < dim; c++ {
				p.Coords = append(p.Coords, float64(x%side)/float64(side))
				x /= side
			}
		}
		c, err := NewCurve(t.Context(), p, Decades(0.5, low[dim], 21), CurveOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i, net := range c.Net {
			if c.Most[i] < net || i > 0 && net < c.Net[i-1] {
				t.Errorf("dim %d: nets %v, at half of it %v", dim, c.Net, c.Most)
			}
		}
		d, err := c.Dimension()
		// At these scales, points at the faces of a cube lower the slope.
		if err != nil || math.Abs(d.Slope-float64(dim)) > 0.2*float64(dim) || !(d.Low <= d.Slope && d.Slope <= d.High) || d.High-d.Low > 1.5 {
			t.Errorf("dim %d: %+v, %v, nets %v", dim, d, err, c.Net)
		}
	}
	// An exact power law has no scatter.
	c := &Curve{Points: 1 << 20}
	for k := 2; k < 9; k++ {
		c.Epsilon, c.Net = append(c.Epsilon, math.Ldexp(1, -k)), append(c.Net, 1<<(2*k))
	}
	if d, err := c.Dimension(); err != nil || math.Abs(d.Slope-2) > 1e-12 || d.High-d.Low > 1e-9 {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestManyPoints(t *testing.T) {
	p := geometric(100_000, 4, 9)
	net, err := Net(t.Context(), p, 0.2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(net) < 1000 { // the quadratic way would run out of time
		t.Errorf("%d points", len(net))
	}
}

func BenchmarkNet(b *testing.B) {
	p := geometric(100_000, 4, 9)
	for b.Loop() {
		if _, err := Net(b.Context(), p, 0.2, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTraversal is the farthest-first order of uniform points, as .ci/compare-fpsample has it.
func BenchmarkTraversal(b *testing.B) {
	for _, dim := range []int{2, 3} {
		for _, n := range []int{10_000, 100_000, 1_000_000, 10_000_000} {
			for _, order := range []int{819, 5586} {
				b.Run(fmt.Sprintf("axes=%d/points=%d/order=%d", dim, n, order), func(b *testing.B) {
					rng := rand.New(rand.NewPCG(1, uint64(dim)))
					p := &Points{Dim: dim, Norm: L2, Coords: make([]float64, n*dim)}
					for i := range p.Coords {
						p.Coords[i] = rng.Float64()
					}
					for b.Loop() {
						if _, err := FarthestFirst(b.Context(), p, TraversalOptions{MaxOrder: order}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
