package knn_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace/internal/knn"
)

// TestWithin: points that are a radius apart in decimals are within it, and those a
// little farther apart are not.
func TestWithin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		n, unit := 1+rng.IntN(6), math.Pow(10, float64(1+rng.IntN(4)))
		x, y := make([]float64, n), make([]float64, n)
		weight := []float64{1, 1, 0.3, 7}[rng.IntN(4)]
		apart := 0
		for i := range x {
			a, b := rng.IntN(1000), rng.IntN(1000)
			x[i], y[i] = float64(a)/unit*weight, float64(b)/unit*weight
			apart += max(a, b) - min(a, b)
		}
		r := float64(apart) / unit * weight
		d := knn.Distance(x, y)
		if !knn.Within(d, r, x) || !knn.Within(d, r, y) {
			t.Fatalf("%v and %v are %v apart, not within %v", x, y, d, r)
		}
		if knn.Within(d, r-1e-11*(r+knn.Size(x)+1e-300), x) && r > 0 {
			t.Fatalf("%v and %v are %v apart, and within less", x, y, d)
		}
	}
}
