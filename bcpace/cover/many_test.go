package cover

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
)

// boundsOfMany returns the bounds that many points have, for any number of them.
func boundsOfMany(ctx context.Context, t rapid.TB, p *Points, epsilon float64) Numbers {
	q := p.Pick(p.Distinct())
	if epsilon == 0 {
		x, _ := q.number(ctx, 0, Options{})
		x.renumber(p.Distinct())
		return x
	}
	total := Numbers{Complete: true}
	epsilon = p.rounded(epsilon)
	for _, list := range q.blocks(epsilon) {
		x := &blockPart{list: list, points: q.block(list)}
		if len(list) == 1 {
			if err := x.atOnce(ctx, epsilon, Options{Orders: 2}, false); err != nil {
				t.Fatal(err)
			}
		} else {
			m, err := newMany(ctx, x.points, epsilon, Options{Orders: 2})
			if err != nil {
				t.Fatal(err)
			}
			m.refine(ctx, func(Numbers) {})
			x.Numbers = m.Numbers
		}
		total.add(x)
	}
	total.renumber(p.Distinct())
	return total
}

// TestBracketsHold: over sets of many shapes under all norms, the intervals of every way hold the
// exact numbers, and the sets that they rest on are what they claim to be.
func TestBracketsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawShape(t, 40)
		epsilon := drawRadius(t, p)
		ctx := context.Background()
		exact, err := Number(ctx, p, epsilon, Options{Exact: true})
		if err != nil || !exact.Complete {
			t.Fatal(exact, err)
		}
		quick, err := Number(ctx, p, epsilon, Options{Orders: 1})
		if err != nil {
			t.Fatal(err)
		}
		for name, x := range map[string]Numbers{"exact": exact, "quick": quick, "many": boundsOfMany(ctx, t, p, epsilon)} {
			checkWitnesses(t, name, p, epsilon, x)
			for _, c := range [][2]Interval{{x.Domination, exact.Domination}, {x.Separated, exact.Separated},
				{x.Independence, exact.Independence}, {x.Upper, exact.Upper}} {
				if c[0].Lower > c[1].Lower || c[0].Upper < c[1].Upper {
					t.Fatalf("%s: bounds %v against %v at ε = %v of %+v", name, c[0], c[1], epsilon, p)
				}
			}
		}
		small, separated, large, upper := bruteNumbers(p, epsilon)
		if exact.Domination.Lower != small || exact.Separated.Lower != separated || exact.Independence.Lower != large || exact.Upper.Lower != upper {
			t.Fatalf("%+v, want %d %d %d %d at ε = %v of %+v", exact, small, separated, large, upper, epsilon, p)
		}
	})
}

// bruteNumbers are the exact numbers of 12 points at most, from all their subsets; those of more
// come from the graph's search, which has a test of its own.
func bruteNumbers(p *Points, epsilon float64) (domination, separated, independence, upper int) {
	q := p.Pick(p.Distinct())
	limit := p.Norm.Key(p.rounded(epsilon))
	n := q.Len()
	near := make([]uint32, n)
	g := newGraph(n)
	for i := range n {
		for j := range n {
			if q.joined(i, j, limit) {
				g.join(i, j)
				if n <= 12 {
					near[i] |= 1 << j
				}
			}
		}
	}
	if n <= 12 {
		return brute(near)
	}
	x, _ := g.Numbers(context.Background(), Options{Exact: true})
	return x.Domination.Lower, x.Separated.Lower, x.Independence.Lower, x.Upper.Lower
}

// checkWitnesses looks at all pairs.
func checkWitnesses(t rapid.TB, name string, p *Points, epsilon float64, x Numbers) {
	limit := p.Norm.Key(p.rounded(epsilon))
	if len(x.Smallest) != x.Domination.Upper || len(x.Apart) != x.Independence.Lower || len(x.Largest) != x.Upper.Lower {
		t.Fatalf("%s: sets of %d, %d and %d points for %+v", name, len(x.Smallest), len(x.Apart), len(x.Largest), x)
	}
	for _, cover := range [][]int{x.Smallest, x.Largest} {
		for i := range p.Len() {
			if !slices.ContainsFunc(cover, func(c int) bool { return p.joined(i, c, limit) }) {
				t.Fatalf("%s: %v does not cover point %d at ε = %v of %+v", name, cover, i, epsilon, p)
			}
		}
	}
	for k, i := range x.Apart {
		for _, j := range x.Apart[:k] {
			if p.joined(i, j, limit) {
				t.Fatalf("%s: points %d and %d are not apart at ε = %v of %+v", name, i, j, epsilon, p)
			}
		}
	}
	if x.Why.DominationLower&ByPacking == 0 {
		return
	}
	for i := range p.Len() {
		load := 0.0
		for k, q := range x.Packing.Points {
			if p.joined(i, q, limit) {
				load += x.Packing.Weight[k]
			}
		}
		if load > 1+1e-9 {
			t.Fatalf("%s: the ball around point %d weighs %v", name, i, load)
		}
	}
}

// drawShape draws points that are uniform, on a lattice, on a circle, in clusters, the same one
// many times, beliefs, or on a torus, at any scale.
func drawShape(t *rapid.T, most int) *Points {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
	n, dim := rapid.IntRange(1, most).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "dim")
	p := &Points{Dim: dim, Norm: Norm(rapid.IntRange(0, 2).Draw(t, "norm"))}
	unit := math.Ldexp(1, rapid.IntRange(-60, 60).Draw(t, "unit"))
	shape := rapid.SampledFrom([]string{"uniform", "lattice", "circle", "clusters", "one", "beliefs", "torus", "product"}).Draw(t, "shape")
	for range n {
		x := make([]float64, dim)
		for c := range x {
			x[c] = rng.Float64() * 4
		}
		switch shape {
		case "lattice":
			for c := range x {
				x[c] = math.Floor(x[c]) * 0.1
			}
		case "circle":
			angle := x[0] * math.Pi / 2
			for c := range x {
				x[c] = []float64{math.Cos(angle), math.Sin(angle)}[c%2]
			}
		case "clusters":
			center := float64(rng.IntN(4)) * 3
			for c := range x {
				x[c] = center + x[c]*0.2
			}
		case "one":
			for c := range x {
				x[c] = 1.1
			}
		case "beliefs":
			sum := 0.0
			for _, v := range x {
				sum += v
			}
			for c := range x {
				x[c] /= sum
			}
		case "product":
			x[0] = math.Floor(x[0])
		}
		for _, v := range x {
			p.Coords = append(p.Coords, v*unit)
		}
	}
	if shape == "torus" {
		p.Periods = []float64{4 * unit}
	}
	if rapid.IntRange(0, 3).Draw(t, "kinds") == 0 {
		for range n {
			p.Kind = append(p.Kind, int32(rng.IntN(3)))
		}
	}
	return p
}

// drawRadius draws a distance of two points, or part of one.
func drawRadius(t *rapid.T, p *Points) float64 {
	i, j := rapid.IntRange(0, p.Len()-1).Draw(t, "i"), rapid.IntRange(0, p.Len()-1).Draw(t, "j")
	d := p.Distance(i, j)
	if math.IsInf(d, 1) {
		return 0
	}
	return d * rapid.SampledFrom([]float64{1, 1, 0.6, 0.3}).Draw(t, "share")
}

// TestTreeAgrees: nets and farthest-first orders from the tree are those of all pairs.
func TestTreeAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawShape(t, 300)
		epsilon := drawRadius(t, p)
		limit := p.Norm.Key(p.rounded(epsilon))
		var want []int
		for i := range p.Len() {
			if !slices.ContainsFunc(want, func(j int) bool { return p.joined(i, j, limit) }) {
				want = append(want, i)
			}
		}
		if net, err := Net(t.Context(), p, epsilon, nil); err != nil || !slices.Equal(net, want) {
			t.Fatalf("net %v, want %v, %v", net, want, err)
		}
		far, err := FarthestFirst(t.Context(), p, TraversalOptions{})
		if err != nil {
			t.Fatal(err)
		}
		order, radius := bruteFarthest(p)
		if !slices.Equal(far.Order, order) || !slices.Equal(far.Radius, radius) || far.Rest != 0 {
			t.Fatalf("order %v at %v, want %v at %v", far.Order, far.Radius, order, radius)
		}
	})
}

func bruteFarthest(p *Points) (order []int, radius []float64) {
	near := slices.Repeat([]float64{math.Inf(1)}, p.Len())
	for next, rest := 0, math.Inf(1); rest > 0; {
		order, radius = append(order, next), append(radius, p.Norm.Distance(rest))
		for i := range near {
			if p.kind(i) == p.kind(order[len(order)-1]) {
				near[i] = min(near[i], p.Norm.Between(p.At(i), p.At(order[len(order)-1]), p.Periods))
			}
		}
		next = slices.Index(near, slices.Max(near))
		rest = near[next]
	}
	return order, radius
}

// TestClose: in the plane and the cube the brackets are as close as README.md says.
func TestClose(t *testing.T) {
	for _, c := range []struct {
		dim     int
		epsilon float64
		within  float64
	}{{2, 0.05, 2.8}, {3, 0.15, 5}} {
		rng := rand.New(rand.NewPCG(uint64(c.dim), 1))
		p := &Points{Dim: c.dim, Norm: L2}
		for range 30_000 * c.dim {
			p.Coords = append(p.Coords, rng.Float64())
		}
		x, err := Number(t.Context(), p, c.epsilon, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for name, n := range map[string]Interval{"γ": x.Domination, "α": x.Independence} {
			if float64(n.Upper) > c.within*float64(n.Lower) {
				t.Errorf("%d dimensions: %s from %d to %d, want a factor of %v at most", c.dim, name, n.Lower, n.Upper, c.within)
			}
		}
	}
}

// TestSameBits: more processors find the same numbers.
func TestSameBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	p := &Points{Dim: 2, Norm: Max}
	for range 2 * (maxGraph + 500) {
		p.Coords = append(p.Coords, rng.Float64())
	}
	var want Numbers
	for i, procs := range []int{1, 2, 5} {
		before := runtime.GOMAXPROCS(procs)
		x, err := Number(t.Context(), p, 0.2, Options{Exact: true})
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = x
		} else if !reflect.DeepEqual(x, want) {
			t.Errorf("%d processors: γ %v, α %v, want %v and %v", procs, x.Domination, x.Independence, want.Domination, want.Independence)
		}
	}
}

// TestInterrupted: whenever the context ends, what comes back holds.
func TestInterrupted(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	p := &Points{Dim: 2, Norm: L2}
	for range 2 * 20_000 {
		p.Coords = append(p.Coords, rng.Float64())
	}
	for _, after := range []time.Duration{0, time.Millisecond, 20 * time.Millisecond, 200 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		x, err := Number(ctx, p, 0.1, Options{Exact: true})
		cancel()
		if err != nil {
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			continue
		}
		checkWitnesses(t, after.String(), p, 0.1, x)
		if x.Domination.Lower > 45 || x.Independence.Upper < 115 { // known of longer searches
			t.Errorf("after %v: %+v", after, x.withoutSets())
		}
	}
}

// TestRoom: where memory is short, points are refused before any is taken.
func TestRoom(t *testing.T) {
	p := &Points{Dim: 1, Coords: make([]float64, 100_000)}
	before := debug.SetMemoryLimit(1 << 20)
	_, err := Number(t.Context(), p, 1, Options{})
	debug.SetMemoryLimit(before)
	var input *bcpace.InputError
	if !errors.As(err, &input) || !strings.Contains(err.Error(), "MB of memory") {
		t.Errorf("%v, want an error that names the memory", err)
	}
	if _, err := Number(t.Context(), p, 1, Options{}); err != nil {
		t.Error(err)
	}
}

// TestScales: curves of any set have distances that fall, also where those of the set differ in their last bits.
func TestScales(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawShape(t, 30)
		scales, err := Scales(t.Context(), p, rapid.IntRange(2, 20).Draw(t, "n"))
		if err != nil || scales == nil {
			return
		}
		if _, err := NewCurve(t.Context(), p, scales, CurveOptions{}); err != nil && !strings.Contains(err.Error(), "1e-150") {
			t.Fatal(err)
		}
	})
	near := &Points{Dim: 1, Coords: []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.1 + 0.2}}
	if scales, err := Scales(t.Context(), near, 8); err != nil || scales[7] > scales[0]/2 {
		t.Error(scales, err)
	}
	// Of 64 places with any number of points each, whose coordinates may differ in their last bits, the last net has a fourth.
	for _, apart := range []float64{0, 0x1p-52} {
		for _, each := range []int{1, 10, 100} {
			line := &Points{Dim: 1}
			for i := range 64 * each {
				line.Coords = append(line.Coords, float64(i%64)*(1+float64(i/64)*apart))
			}
			scales, err := Scales(t.Context(), line, 4)
			if err != nil {
				t.Fatal(err)
			}
			if net, err := FarthestFirst(t.Context(), line, TraversalOptions{Radius: scales[3]}); err != nil || len(net.Order) != 16 {
				t.Errorf("%d points in a place, %v apart: scales %v with a net of %d", each, apart, scales, len(net.Order))
			}
		}
	}
}

// TestCurveInterrupted: a curve whose context has ended has no entry that its order does not reach.
func TestCurveInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, o := range []CurveOptions{{}, {Closer: &Options{}}} {
		if c, err := NewCurve(ctx, geometric(1000, 2, 1), []float64{0.5, 0.1}, o); !errors.Is(err, context.Canceled) || c == nil || len(c.Epsilon) > 0 {
			t.Errorf("%+v, %v, want an empty curve", c, err)
		}
	}
}

// TestPeriod: coordinates that are more than a period apart have no distance.
func TestPeriod(t *testing.T) {
	p := &Points{Dim: 1, Coords: []float64{0.3, 1.1}, Periods: []float64{0.11}}
	if _, err := Number(t.Context(), p, 0, Options{}); err == nil || !strings.Contains(err.Error(), "within one period") {
		t.Error(err)
	}
	p.Periods[0] = 0.8
	if _, err := Number(t.Context(), p, 0, Options{}); err != nil {
		t.Error(err)
	}
}
