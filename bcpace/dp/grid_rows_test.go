package dp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/grid"
)

// drawnModel is a Gaussian of random linear dynamics whose latent may move.
type drawnModel struct {
	bcpace.Enumerator
	move [][]float64 // by latent; nil for a static one
}

func (m drawnModel) LatentKind() bcpace.LatentKind { return bcpace.Redrawn }
func (m drawnModel) LatentTransition(p, _ []float64, action, latent int) bool {
	if m.move == nil || action == 0 {
		return false
	}
	copy(p, m.move[latent])
	return true
}

// drawModel draws one of so many axes, of which some have noise, one may be left out, and one may be discrete.
func drawModel(t *testing.T, rng *rand.Rand, axes, actions int) bcpace.Enumerator {
	latents := 1 + rng.IntN(3)
	g := bcpace.Gaussian{Spec: bcpace.Spec{Name: "drawn", Discount: 0.9, RewardMax: 1}, Nodes: 2}
	for a := range actions {
		g.Spec.Actions = append(g.Spec.Actions, bcpace.Action{Name: fmt.Sprint("a", a)})
	}
	drift := make([][]float64, actions*latents)
	for i := range axes {
		g.Spec.Axes = append(g.Spec.Axes, bcpace.Axis{Name: fmt.Sprint("x", i), Min: -1, Max: 1})
		g.Sigma = append(g.Sigma, max(0, 0.2*rng.Float64()-0.1))
		for k := range drift {
			drift[k] = append(drift[k], float64(rng.IntN(3)-1)*rng.Float64()/4)
		}
	}
	if left := rng.IntN(2 * axes); left < axes {
		g.Spec.Axes[left].Scale, g.Sigma[left] = math.Inf(1), 0.1
	}
	for φ := range latents {
		g.Spec.Latents = append(g.Spec.Latents, fmt.Sprint("φ", φ))
	}
	turn, limit := rng.Float64(), 0.5+rng.Float64()
	g.Mean = func(mean, s []float64, latent, action int) {
		for i := range axes {
			mean[i] = min(max(s[i]+turn*s[(i+1)%axes]/4+drift[action*latents+latent][i], -1), 1)
		}
	}
	g.Reward = func(s []float64, _, _ int, _ []float64) float64 { return (1 + s[0]) / 2 }
	g.Ends = func(next []float64) bool { return next[axes-1] > limit }
	g.Starts = [][]float64{make([]float64, axes)}
	if rng.IntN(2) == 0 {
		g.Spec.Axes = append(g.Spec.Axes, bcpace.Axis{Name: "flag", Max: 1, Discrete: true})
		g.Sigma, g.Starts[0] = append(g.Sigma, 0), append(g.Starts[0], 0)
		mean := g.Mean
		g.Mean = func(to, s []float64, latent, action int) {
			mean(to, s, latent, action)
			to[axes] = float64((latent + action) % 2)
		}
	}
	m, err := bcpace.FromGaussian(g)
	if err != nil {
		t.Fatal(err)
	}
	drawn := drawnModel{Enumerator: m}
	for range latents * rng.IntN(2) {
		p := make(bcpace.Belief, latents)
		p.SampleSimplex(rng)
		drawn.move = append(drawn.move, p)
	}
	return drawn
}

// planOf draws a grid of about so many points for each axis.
func planOf(t *testing.T, m bcpace.Enumerator, points int) grid.Grid {
	axes, err := GridOptions{MaxPoints: points}.Grid(m.Spec())
	if err != nil {
		t.Fatal(err)
	}
	return NewGrid(m.Spec(), axes)
}

// TestGridRows: the rows of random models on grids of one to six axes are what the points around each successor say one
// by one.
//
//test:race
func TestGridRows(t *testing.T) {
	cells, models := 0, uint64(24)
	if testing.Short() {
		models = 6
	}
	for seed := range models {
		rng := rand.New(rand.NewPCG(seed, 5))
		axes := 1 + int(seed)%6
		m := drawModel(t, rng, axes, 1+rng.IntN(3))
		on := planOf(t, m, 30<<axes)
		p, err := newGridMDP(t.Context(), m, on, nil)
		if err != nil {
			t.Fatal(err)
		}
		spec, l, s := m.Spec(), bcpace.NewLister(m), make([]float64, len(m.Spec().Axes))
		latents := len(spec.Latents)
		for range 200 {
			point, a, φ := rng.IntN(on.Len()), rng.IntN(len(spec.Actions)), rng.IntN(latents)
			on.At(s, point)
			if err := l.List(s, a); err != nil {
				t.Fatal(err)
			}
			want := make(map[int32]float64)
			for i, done := range l.Successors.Done {
				to, prob, _ := l.Successors.Row(i)
				if done || prob[φ] == 0 {
					continue
				}
				points, weights, _ := on.Interpolate(nil, nil, to)
				for k, n := range points {
					targets, shares, ok := l.Moves(φ)
					if !ok {
						targets, shares = []int32{int32(φ)}, []float64{1}
					}
					for j, ψ := range targets {
						want[n*int32(latents)+ψ] += spec.Discount * prob[φ] * weights[k] * shares[j]
					}
				}
			}
			row := (point*latents+φ)*len(spec.Actions) + a
			next, weight := p.Entries(nil, nil, row)
			if len(next) != len(want) {
				t.Fatalf("seed %d, row %d has %d entries, want %d", seed, row, len(next), len(want))
			}
			for k, n := range next {
				if math.Abs(weight[k]-want[n]) > 1e-14 {
					t.Fatalf("seed %d, row %d leads to %d with %v, want %v", seed, row, n, weight[k], want[n])
				}
			}
			if p.Reward[row] != l.Reward[φ] {
				t.Fatalf("seed %d, row %d pays %v, want %v", seed, row, p.Reward[row], l.Reward[φ])
			}
			if len(next) > 1 {
				cells++
			}
		}
	}
	if cells < 1000 {
		t.Errorf("%d rows lead to several points: little was tested", cells)
	}
}

// TestGridLoad: what the rows of a grid take, with values at each, is what is estimated before.
func TestGridLoad(t *testing.T) {
	tested := 0
	for seed := range uint64(16) {
		rng := rand.New(rand.NewPCG(seed, 6))
		m := drawModel(t, rng, 2+int(seed)%4, 9)
		on := planOf(t, m, 1500)
		spec := m.Spec()
		load, err := loadOf(t.Context(), m, on)
		if err != nil {
			t.Fatal(err)
		}
		want := load.bytes(spec, on.Len(), len(spec.Actions))
		if want < 1e6 { // other things are as large
			continue
		}
		tested++
		before := heap()
		p, err := newGridMDP(t.Context(), m, on, nil)
		if err != nil {
			t.Fatal(err)
		}
		q, v, greedy := make([]float64, len(p.Reward)), make([]float64, p.States()), make([]int32, p.States())
		got := heap() - before
		runtime.KeepAlive([]any{p, q, v, greedy})
		if n := between(spec); n > grid.FewAxes { // without bends
			want -= float64(p.States() * 8 * n * (n + 1) / 2)
		}
		want -= (8 + 1) * float64(on.Len()*runtime.GOMAXPROCS(0)) // and listers, which are gone
		if math.Abs(got-want) > 0.2*want {
			t.Errorf("seed %d, %d axes: %.0f bytes are taken, estimated %.0f", seed, len(spec.Axes), got, want)
		}
	}
	if tested < 6 {
		t.Errorf("%d grids are large enough, want 6 at least", tested)
	}
}

// TestPackedRows: on grids of four axes, along all of which steps lead, rows take two fifths of what they take where they are written
// out: 12 bytes for an entry, and 8 for the end of a row.
func TestPackedRows(t *testing.T) {
	packed, written := 0.0, 0.0
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 8))
		m := drawModel(t, rng, 4, 5)
		on := planOf(t, m, 6000)
		load, err := loadOf(t.Context(), m, on)
		if err != nil {
			t.Fatal(err)
		}
		packed, written = packed+load.packed, written+12*load.entries+8*float64(on.Len()*len(m.Spec().Latents)*5)
	}
	if packed > written*2/5 {
		t.Errorf("rows take %.0f bytes, and %.0f where they are written out", packed, written)
	}
}

// heap returns the bytes that are alive.
func heap() float64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.GC() // pools let go with the second
	runtime.ReadMemStats(&s)
	return float64(s.HeapAlloc)
}
