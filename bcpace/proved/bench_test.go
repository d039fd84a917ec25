package proved_test

import (
	"fmt"
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/proved"
)

// BenchmarkUpper bounds a walk of one and of two axes under one to three latents, on one grid for each side of a
// cell. It reports the vertices of the grid and the largest probability of being told the latent beside time and memory.
func BenchmarkUpper(b *testing.B) {
	for axes, cells := range [][]float64{1: {0.8, 0.4, 0.2}, 2: {0.8, 0.56}} {
		for latents := 1; latents <= 3; latents++ {
			for _, cell := range cells {
				b.Run(fmt.Sprintf("axes=%d/latents=%d/cell=%v", axes, latents, cell), func(b *testing.B) {
					m := pushes(b, axes, latents)
					b.ReportAllocs()
					var found *proved.GridBound
					for b.Loop() {
						var err error
						if found, err = proved.Upper(b.Context(), m, proved.Options{Cell: cell, Tolerance: math.Inf(1)}); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(found.Vertices), "vertices")
					b.ReportMetric(found.Told, "told")
				})
			}
		}
	}
}

// pushes is a walk to the far corner of a box of six standard deviations a side, where episodes end with a prize. An
// action pushes along one axis. The latent is how far a push goes along the first one, so that only this axis tells.
func pushes(b testing.TB, axes, latents int) bcpace.Model {
	g := bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "pushes", Latents: []string{"strong", "weak", "wrong"}[:latents], Discount: 0.9, RewardMax: 1},
		Mean: func(mean, s []float64, latent, action int) {
			copy(mean, s)
			mean[action] += [][]float64{{1, 0.4, -1}, {1, 1, 1}}[min(action, 1)][latent]
		},
		Ends: func(next []float64) bool { return reached(next).Ends },
	}
	g.Reward = func(_ []float64, _, _ int, next []float64) float64 { return reached(next).Reward }
	g.Curve = &bcpace.GaussianCurve{Arrive: func(next []float64, _ int) bcpace.Arrival { return reached(next) }}
	start := make([]float64, axes)
	for i := range axes {
		start[i] = 2
		g.Spec.Axes = append(g.Spec.Axes, bcpace.Axis{Name: fmt.Sprint("x", i+1), Max: 6})
		g.Spec.Actions = append(g.Spec.Actions, bcpace.Actions(fmt.Sprint("push ", i+1))...)
		g.Sigma = append(g.Sigma, 1)
		g.Curve.Jumps = append(g.Curve.Jumps, []float64{5})
	}
	g.Starts = [][]float64{start}
	m, err := bcpace.FromGaussian(g)
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// reached is what arriving means: beyond 5 on every axis, 1 and the end.
func reached(next []float64) bcpace.Arrival {
	for _, x := range next {
		if x < 5 {
			return bcpace.Arrival{}
		}
	}
	return bcpace.Arrival{Reward: 1, Ends: true}
}
