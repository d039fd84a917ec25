package metric_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/metric"
)

// TestWithin: Within says of random pairs what Distance does, at radii on either side of it and at the distance itself.
func TestWithin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		spec := bcpace.Spec{Axes: []bcpace.Axis{{Name: "a", Max: 1}, {Name: "b", Max: 1, Period: 1}, {Name: "c", Max: 1, Scale: math.Inf(1)}}}
		m := metric.New(spec, 0.5+rng.Float64())
		draw := func(n int) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = rng.Float64()
			}
			return x
		}
		latents := rng.IntN(40)
		s, u, b, c := draw(3), draw(3), draw(latents), draw(latents)
		d := m.Distance(s, b, u, c)
		for _, r := range []float64{d * rng.Float64(), d, d * (1 + rng.Float64())} {
			if got := m.Within(r, s, b, u, c); got != (d <= r) {
				t.Errorf("a distance of %v is within %v: %v", d, r, got)
			}
		}
	}
}
