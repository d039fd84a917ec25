package dp_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/randmodel"
)

// bowl is a model of several axes in [−1, 1] whose values are known: every step shrinks
// the state by a factor of the latent and pays −Σ c_i·s_i², less 1 for action 1. So
//
//	V(s,φ) = −Σ c_i·s_i²/(1 − γ·shrink²)
//
// An axis with c_i = 0 matters to nothing.
type bowl struct {
	curve []float64
	idle  int // cells of a discrete axis of infinite scale, which go round by chance; 0 for none
}

const bowlDiscount = 0.8

func (m bowl) shrink(latent int) float64 { return 0.9 - 0.2*float64(latent) }
func (m bowl) Spec() bcpace.Spec {
	spec := bcpace.Spec{Name: "bowl", Actions: bcpace.Actions("free", "dear"), Latents: []string{"slow", "fast"}, Discount: bowlDiscount, RewardMin: -1}
	for i, c := range m.curve {
		spec.Axes = append(spec.Axes, bcpace.Axis{Name: fmt.Sprint("x", i), Min: -1, Max: 1})
		spec.RewardMin -= c
	}
	if m.idle > 0 {
		spec.Axes = append(spec.Axes, bcpace.Axis{Name: "idle", Max: float64(m.idle - 1), Discrete: true, Scale: math.Inf(1)})
	}
	return spec
}
func (m bowl) Prior(b bcpace.Belief) { b[0], b[1] = 0.5, 0.5 }
func (m bowl) Start(s []float64, _ int, _ *rand.Rand) {
	clear(s)
	for i := range m.curve {
		s[i] = 0.8
	}
}
func (m bowl) Starts(z *bcpace.Successors) {
	s, p, _ := z.Add(false)
	m.Start(s, 0, nil)
	p[0], p[1] = 1, 1
}
func (m bowl) reward(s []float64, action int) float64 {
	r := -float64(action)
	for i, c := range m.curve {
		r -= c * s[i] * s[i]
	}
	return r
}
func (m bowl) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	for i, x := range s {
		next[i] = x * m.shrink(latent)
	}
	if m.idle > 0 {
		next[len(m.curve)] = float64(rng.IntN(m.idle))
	}
	return bcpace.Outcome{Reward: m.reward(s, action)}
}
func (m bowl) LogLikelihood(s []float64, _ int, next []float64, latent int) float64 {
	if next[0] != s[0]*m.shrink(latent) {
		return math.Inf(-1)
	}
	return 0
}
func (m bowl) Successors(z *bcpace.Successors, s []float64, action int) {
	for latent := range 2 {
		for k := range max(1, m.idle) {
			next, p, r := z.Add(false)
			for i := range m.curve {
				next[i] = s[i] * m.shrink(latent)
			}
			if m.idle > 0 {
				next[len(m.curve)] = float64(k)
			}
			p[latent], r[latent] = 1/float64(max(1, m.idle)), m.reward(s, action)
		}
	}
}

func (m bowl) q(s []float64, latent, action int) float64 {
	return m.reward(s, action) + bowlDiscount*math.Pow(m.shrink(latent), 2)*m.reward(s, 0)/(1-bowlDiscount*math.Pow(m.shrink(latent), 2))
}

// TestSolveGridOfManyAxes: on three to six axes, a coarse grid with bends is as good as one
// of far more points without; the error is more than what it is at most places; and the
// grid is the same for any number of processors.
//
//test:race
func TestSolveGridOfManyAxes(t *testing.T) {
	for axes, points := range map[int]int{3: 2000, 4: 5000, 6: 20000} {
		if axes == 6 && testing.Short() {
			continue
		}
		m := bowl{}
		for i := range axes {
			m.curve = append(m.curve, float64(i%2)+1)
		}
		v, err := dp.SolveGrid(t.Context(), m, dp.GridOptions{MaxPoints: points})
		if err != nil {
			t.Fatal(err)
		}
		n, cell := 1, 0.0
		for i, a := range v.Axes {
			n *= a.Points
			cell += m.curve[i] * a.Step * a.Step / 8
		}
		if n > points || n < points*2/3 {
			t.Errorf("%d axes: %d points, want close to %d", axes, n, points)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		mean, straight := 0.0, 0.0
		for range 500 {
			s := make([]float64, axes)
			for i := range s {
				s[i] = 2*rng.Float64() - 1
			}
			φ, a := rng.IntN(2), rng.IntN(2)
			mean += math.Abs(v.Q(s, φ, a)-m.q(s, φ, a)) / 500
			straight += cell / (1 - bowlDiscount) / 500 // what a linear interpolation errs by
		}
		if mean > straight/4 || mean > v.Error || v.MeanError > v.Error {
			t.Errorf("%d axes: off by %v in the mean, estimated %v and at most %v; linear interpolation errs by %v", axes, mean, v.MeanError, v.Error, straight)
		}
		if axes == 3 {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			again, err := dp.SolveGrid(t.Context(), m, dp.GridOptions{MaxPoints: points})
			if err != nil || !slices.Equal(again.Table, v.Table) || again.Error != v.Error {
				t.Errorf("with one processor the values are others: %v", err)
			}
		}
	}
}

// TestGridNeedsOfAxes: an axis along which values bend more gets more points, and one along
// which the coarse grid sees nothing keeps a few.
func TestGridNeedsOfAxes(t *testing.T) {
	m := bowl{curve: []float64{1, 16, 0, 1, 0}}
	v, err := dp.SolveGrid(t.Context(), m, dp.GridOptions{MaxPoints: 4000})
	if err != nil {
		t.Fatal(err)
	}
	n := make([]int, len(v.Axes))
	for i, a := range v.Axes {
		n[i] = a.Points
	}
	if n[2] < 3 || n[4] < 3 || n[2] > n[0] || n[1] < 2*n[0] || n[0] < n[3]-2 || n[0] > n[3]+2 {
		t.Errorf("%v points on the axes", n)
	}
}

// TestGridThatMissesTheGoal: where the coarse grid misses a small goal, the grid keeps its
// points; and where it misses the goal itself, its errors are as large as returns can be.
func TestGridThatMissesTheGoal(t *testing.T) {
	for _, c := range []struct {
		axes, points int
		sees         bool
	}{{3, 4096, true}, {4, 2048, false}} {
		v, err := dp.SolveGrid(t.Context(), randmodel.SmallGoal(c.axes, 0.03), dp.GridOptions{MaxPoints: c.points})
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range v.Axes {
			if a.Points < 3 {
				t.Errorf("%d axes: axis %d has %d points", c.axes, i, a.Points)
			}
		}
		if v.Flat() == c.sees {
			t.Fatalf("%d axes: flat is %v, so that this test tests nothing", c.axes, v.Flat())
		}
		if most := 10 / (1 - 0.97); v.Error < 1 || !c.sees && (v.Error < most-1e-9 || v.MeanError < most-1e-9) {
			t.Errorf("%d axes: the grid errs by %v at most and %v in the mean, want %v where it is flat", c.axes, v.Error, v.MeanError, most)
		}
	}
}

// TestGridMemory: a grid that is asked for and does not fit is an error that names one
// which does; one that is not asked for gets fewer points.
func TestGridMemory(t *testing.T) {
	m := bowl{curve: []float64{1, 1, 1, 1}}
	_, err := dp.SolveGrid(t.Context(), m, dp.GridOptions{MaxPoints: 40_000_000})
	if input := new(bcpace.InputError); !errors.As(err, &input) || !strings.Contains(err.Error(), "GB") || !strings.Contains(err.Error(), "MaxPoints") {
		t.Errorf("40 million points: %v", err)
	}
	m.curve = make([]float64, 13)
	_, err = dp.SolveGrid(t.Context(), m, dp.GridOptions{})
	if unsupported := new(bcpace.UnsupportedError); !errors.As(err, &unsupported) || !strings.Contains(err.Error(), "12 axes") {
		t.Errorf("13 axes: %v", err)
	}
}

// TestEstimateErrorOfNothing: bounds that dp.SolveGridBounds has not made have no grid to
// compare with, and say so.
func TestEstimateErrorOfNothing(t *testing.T) {
	var input *bcpace.InputError
	if _, err := new(dp.GridBounds).EstimateError(t.Context(), nil); !errors.As(err, &input) {
		t.Errorf("got %v, want an *InputError", err)
	}
}
