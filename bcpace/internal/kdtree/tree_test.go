package kdtree

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// scattered returns points of a unit box, some of them equal, of one or three kinds, on a line that closes or not.
func scattered(rng *rand.Rand) *Tree {
	n, dim := 1+rng.IntN(200), 1+rng.IntN(4)
	coords := make([]float64, n*dim)
	for i := range coords {
		coords[i] = math.Floor(rng.Float64()*64) / 64
	}
	var periods []float64
	if rng.IntN(3) == 0 {
		periods = []float64{1}
	}
	return made(New(context.Background(), Norm(rng.IntN(3)), dim, coords, periods, nil))
}

// made is a tree whose context has not ended.
func made(t *Tree, err error) *Tree {
	if err != nil {
		panic(err)
	}
	return t
}

// TestLoads: the loads and prices of balls are those of all pairs.
func TestLoads(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		c := scattered(rng)
		d := made(New(t.Context(), c.norm, c.dim, c.coords[:c.dim*(1+rng.IntN(len(c.At)))], c.periods, nil))
		radius := rng.Float64()
		weight := make([]float64, len(d.At))
		for q := range weight {
			weight[q] = rng.Float64()
		}
		worst, cost := make([]float64, len(weight)), make([]float64, len(weight))
		if err := NewLoads(c, d, radius).Weigh(t.Context(), weight, worst, cost, 0.1); err != nil {
			t.Fatal(err)
		}
		wantWorst, wantCost := make([]float64, len(weight)), make([]float64, len(weight))
		for s := range c.At {
			load := 0.0
			var inside []int
			for q := range weight {
				if c.norm.Between(c.Point(s), d.Point(q), c.periods) <= c.norm.Key(radius) {
					load += weight[q]
					inside = append(inside, q)
				}
			}
			for _, q := range inside {
				wantWorst[q] = max(wantWorst[q], load)
				wantCost[q] += math.Exp(0.1 * (load - 1))
			}
		}
		for q := range weight {
			if math.Abs(worst[q]-wantWorst[q]) > 1e-9*wantWorst[q] || math.Abs(cost[q]-wantCost[q]) > 1e-9*wantCost[q] {
				t.Fatalf("seed %d, demand %d: load %v and cost %v, want %v and %v", seed, q, worst[q], cost[q], wantWorst[q], wantCost[q])
			}
		}
	}
}

// upTo returns 0 … n−1.
func upTo(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// TestCoverage: gains, what is left and what is needed are those of all pairs, as points come and go.
func TestCoverage(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 2))
		p := scattered(rng)
		n, radius := len(p.At), rng.Float64()*0.6
		c := NewCoverage(p, radius)
		near := func(s, q int) bool { return p.norm.Between(p.Point(s), p.Point(q), p.periods) <= p.norm.Key(radius) }
		in := make([]int, n)
		for range 30 {
			s := rng.IntN(n)
			if by := 1 - 2*rng.IntN(2); in[s]+by >= 0 {
				in[s] += by
				c.Take(s, int32(by))
			}
			left, gain, needed := 0, 0, false
			var open []int32
			for q := range n {
				times := 0
				for x, k := range in {
					if k > 0 && near(x, q) {
						times += k
					}
				}
				if times == 0 {
					left++
					open = append(open, int32(q))
					if near(s, q) {
						gain++
					}
				}
				needed = needed || times == 1 && near(s, q)
			}
			far := c.Farthest(s)
			key := func(q int32) float64 { return p.norm.Between(p.Point(s), p.Point(int(q)), p.periods) }
			farther := func(q int32) bool { return key(q) > key(int32(far)) }
			if (far < 0) != (len(open) == 0) || far >= 0 && (slices.ContainsFunc(open, farther) || !slices.Contains(open, int32(far))) {
				t.Fatalf("seed %d: %d is not the farthest from %d", seed, far, s)
			}
			got := slices.DeleteFunc(upTo(n), func(slot int32) bool { return !c.Open(slot) })
			if c.Left() != left || c.Gain(s) != gain || c.Needed(s) != needed || !slices.Equal(got, open) {
				t.Fatalf("seed %d: %d left, gain %d, needed %v, want %d, %d, %v", seed, c.Left(), c.Gain(s), c.Needed(s), left, gain, needed)
			}
		}
	}
}

// TestPacked: the volume is no less than that which 20,000 random places see of the union of the balls, but for five of
// their standard deviations, and no more than that of a box around it.
func TestPacked(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p := scattered(rng)
		epsilon := 0.05 + rng.Float64()*0.4
		n, ok := p.Packed(t.Context(), epsilon, 1<<14)
		if !ok {
			if p.periods == nil {
				t.Errorf("seed %d: no volume", seed)
			}
			continue
		}
		const places = 20_000
		sides := math.Pow(2, float64(p.dim))
		if p.periods != nil {
			sides /= 2
		}
		inside := 0
		x := make([]float64, p.dim)
		for range places {
			for c := range x {
				if x[c] = rng.Float64()*2 - 0.5; p.period(c) > 0 {
					x[c] = rng.Float64()
				}
			}
			if near, _ := p.Nearest(x, 0, p.norm.Key(epsilon/2)); near >= 0 {
				inside++
			}
		}
		share := float64(inside) / places
		least := sides * (share - 5*math.Sqrt(share*(1-share)/places)) / p.norm.ball(epsilon/2, p.dim)
		if float64(n+1) < least || float64(n) > 1.001*sides/p.norm.ball(epsilon/2, p.dim) {
			t.Errorf("seed %d: at most %d balls, want %v at least", seed, n, least)
		}
	}
}
