package sarsop

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/pointbased"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/pomdp"
)

// TestCorners: a belief is the mean of the corners around it, which lie on the grid and within its support, and are as many as its support is large at most.
func TestCorners(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var c corners
	for range 3000 {
		n, parts := 1+rng.IntN(6), 1+rng.IntN(9)
		b := pointbased.Belief{P: pomdptest.Row(rng, n, rng.IntN(3))}
		if rng.IntN(3) == 0 { // on the grid, or near it
			clear(b.P)
			for range parts {
				b.P[rng.IntN(n)] += 1 / float64(parts)
			}
		}
		mean, total, corners := make([]float64, n), 0.0, 0
		c.around(7, b, float64(parts), func(key []byte, share float64) {
			x, at := belief(string(key), float64(parts))
			sum := 0.0
			for i, p := range at.P {
				mean[at.At[i]] += share * p
				sum += p
				if k := p * float64(parts); math.Abs(k-math.Round(k)) > 1e-12 || i > 0 && at.At[i] <= at.At[i-1] {
					t.Fatalf("%v is no corner of %d parts", at, parts)
				}
			}
			if x != 7 || math.Abs(sum-1) > 1e-12 || share <= 0 {
				t.Fatalf("corner %v of x %d has share %v", at, x, share)
			}
			total += share
			corners++
		})
		support := 0
		for y, p := range b.P {
			if p > 0 {
				support++
			}
			if math.Abs(mean[y]-p) > 1e-12 || p == 0 && mean[y] > 0 {
				t.Fatalf("the mean is %v, want %v", mean, b.P)
			}
		}
		if math.Abs(total-1) > 1e-12 || corners > support {
			t.Fatalf("%d corners of %v with shares that add up to %v", corners, b, total)
		}
	}
}

// values makes the triangulation of a tree with so many parts.
func (t *tree) values(ctx context.Context, parts, room int) *triangulator {
	g := newTriangulator(t, parts)
	g.room = room
	for range g.explore(ctx) {
	}
	for range g.solve(ctx) {
	}
	return g
}

// TestTriangulation: at every belief the bound of a triangulation is one, whatever there is room for: no less than what a policy is known to earn. With many
// parts it is near. That holds with a discount, for what is earned once, for costs up to an end with and without places to wait for
// nothing, and where an end must be reached.
func TestTriangulation(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	kinds := []struct {
		name string
		draw func() *pomdp.Model
	}{
		{"discount", func() *pomdp.Model { return pomdptest.Random(rng, 1+rng.IntN(2), 2+rng.IntN(2), 0.5+0.4*rng.Float64()) }},
		{"earned", func() *pomdp.Model { return toEnd(rng, 1, 0, false) }},
		{"costs", func() *pomdp.Model { return toEnd(rng, -1, 0, false) }},
		{"waits", func() *pomdp.Model { return toEnd(rng, -1, .3, false) }},
		{"must end, free steps", func() *pomdp.Model { return toEnd(rng, -1, .3, true) }},
		{"must end", func() *pomdp.Model { return toEnd(rng, -1, 0, true) }},
	}
	for _, k := range kinds {
		far, near := 0.0, 0.0
		for trial := range 8 {
			m := k.draw()
			set, err := pointbased.New(t.Context(), "test", m, 1, true)
			if err != nil {
				continue
			}
			x := newTree(set, 1)
			x.pool.start(1)
			known, err := Solver{Epsilon: 1e-6, MaxTrials: 20}.SolvePOMDP(t.Context(), m, bcpace.Control{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			before := math.Inf(1)
			low, _ := x.bounds()
			for _, parts := range []int{1, 2, 4, 8, 16} {
				g := x.values(t.Context(), parts, gridEntries)
				_, now := g.atStart()
				if lower := known.Certificate.Lower; now < lower-1e-9*(1+math.Abs(lower)) {
					t.Fatalf("%s, model %d: %v of %d parts, and a policy earns %v", k.name, trial, now, parts, lower)
				}
				if parts == 1 {
					far += now - known.Certificate.Upper
				}
				before = now
				_, cut := x.values(t.Context(), parts, rng.IntN(40)).atStart()
				if cut < now-10*gridTolerance*(now-low)-1e-9 {
					t.Errorf("%s, model %d: %v with little room, and %v with much", k.name, trial, cut, now)
				}
			}
			near += before - known.Certificate.Upper
		}
		if near > far/4+1e-9 {
			t.Errorf("%s: %v above what trials find with 16 parts, %v with one", k.name, near, far)
		}
	}
}

// toEnd draws a model without a discount that ends, or need not, with three hidden states and an end. Steps pay sign at most, and nothing with probability free; what is earned is
// paid with the end alone.
func toEnd(rng *rand.Rand, sign, free float64, must bool) *pomdp.Model {
	m := pomdptest.New(1, 4, 2, 2, 1, append(pomdptest.Row(rng, 3, 0), 0))
	m.MustEnd = must
	for range 2 {
		move, sense, reward := make([][]float64, 4), make([][]float64, 4), make([]float64, 4)
		for s := range 3 {
			move[s], sense[s] = pomdptest.Row(rng, 4, 1), pomdptest.Row(rng, 2, 0)
			switch {
			case sign > 0:
				reward[s] = move[s][3] * float64(s) / 2
			case rng.Float64() >= free:
				reward[s] = -rng.Float64()
			}
		}
		move[3], sense[3] = []float64{0, 0, 0, 1}, []float64{1, 0}
		pomdptest.Append(m, move, sense, reward)
	}
	return m
}

// endsAt is a context that has ended when it is asked for the so many-th time.
type endsAt struct {
	context.Context
	left int
}

func (c *endsAt) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestTriangulationEnds: wherever a context ends that triangulations are made under, what they leave is an upper bound.
func TestTriangulationEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for name, m := range map[string]*pomdp.Model{"discount": pomdptest.Random(rng, 2, 3, 0.9), "earned": toEnd(rng, 1, 0, false), "costs": toEnd(rng, -1, 0, false)} {
		known, err := Solver{Epsilon: 1e-6, MaxTrials: 20}.SolvePOMDP(t.Context(), m, bcpace.Control{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		some := false
		for k := range 200 {
			set, err := pointbased.New(t.Context(), "test", m, 1, true)
			if err != nil {
				t.Fatal(err)
			}
			x := newTree(set, 1)
			x.pool.start(1)
			for range x.triangulate(&endsAt{t.Context(), k}) {
			}
			if x.grid == nil {
				continue
			}
			some = true
			g := &triangulator{tree: x, triangulation: *x.grid}
			if _, now := g.atStart(); now < known.Certificate.Lower-1e-9*(1+math.Abs(now)) {
				t.Fatalf("%s, ended at %d: %v, and a policy earns %v", name, k, now, known.Certificate.Lower)
			}
		}
		if !some {
			t.Errorf("%s: no triangulation came", name)
		}
	}
}
