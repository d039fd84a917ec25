package grid

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestInterpolate expects the weights around a place to make the place of the points,
// and every point to be its own.
func TestInterpolate(t *testing.T) {
	axes := []RegularAxis{{Min: -1, Step: 0.5, Points: 4}, {Min: 2, Step: 1, Points: 3, Discrete: true}, {Min: 7, Step: 1, Points: 1}, {Min: 0, Step: 0.1, Points: 6}}
	g := New(axes, []float64{-1, 2, 7, 0}, []float64{0.5, 4, 7, 0.5})
	if g.Len() != 4*3*6 {
		t.Fatalf("%d points, want 72", g.Len())
	}
	at := make([]float64, 4)
	for i := range g.Len() {
		g.At(at, i)
		points, weights, ok := g.Interpolate(nil, nil, at)
		if !ok || len(points) != 1 || int(points[0]) != i || weights[0] != 1 {
			t.Errorf("point %d: %v with weights %v", i, points, weights)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		s := []float64{-1 + 1.5*rng.Float64(), float64(2 + rng.IntN(3)), 7, 0.5 * rng.Float64()}
		points, weights, ok := g.Interpolate(nil, nil, s)
		mean, total := make([]float64, 4), 0.0
		for k, i := range points {
			g.At(at, int(i))
			for j, x := range at {
				mean[j] += weights[k] * x
			}
			total += weights[k]
		}
		for j, x := range s {
			if !ok || math.Abs(mean[j]-x) > 1e-12 || math.Abs(total-1) > 1e-12 {
				t.Fatalf("around %v: mean %v with weights of sum %v", s, mean, total)
			}
		}
	}
	for _, s := range [][]float64{{-1.1, 2, 7, 0}, {0, 2.5, 7, 0}, {0, 2, 7, 0.6}, {math.NaN(), 2, 7, 0}, {0, 2, 7}} {
		if _, _, ok := g.Interpolate(nil, nil, s); ok {
			t.Errorf("%v is on the grid", s)
		}
	}
}

// TestCoarser expects about half of the cells over the same length, and discrete
// axes and single cells to stay.
func TestCoarser(t *testing.T) {
	in := []RegularAxis{{Min: 0, Step: 0.5, Points: 5}, {Min: 0, Step: 0.5, Points: 4}, {Min: 1, Step: 1, Points: 9, Discrete: true}, {Min: 0, Step: 3, Points: 2}}
	want := []RegularAxis{{Min: 0, Step: 1, Points: 3}, {Min: 0, Step: 0.75, Points: 3}, in[2], in[3]}
	for i, a := range Coarser(in) {
		if a != want[i] {
			t.Errorf("axis %d: %+v, want %+v", i, a, want[i])
		}
	}
}
