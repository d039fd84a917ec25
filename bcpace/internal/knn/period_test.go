package knn

import (
	"math"
	"testing"

	"bayescpace/envs/envtest"

	"pgregory.net/rapid"
)

// TestPeriodicDistance compares the distance with that to the nearest of the places at
// which a point comes again, and expects Outside to bound it.
func TestPeriodicDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		period := rapid.Float64Range(0.1, 10).Draw(t, "period")
		place := envtest.Evenly(0, period)
		x, y, z := place.Draw(t, "x"), place.Draw(t, "y"), envtest.Evenly(-9, 9).Draw(t, "z")
		want := math.Inf(1)
		for k := -1.0; k <= 1; k++ {
			want = min(want, math.Abs(x-y+k*period))
		}
		got := PeriodicDistance([]float64{x, z, 1}, []float64{y, 1, z}, []float64{period, 0})
		if want += 2 * math.Abs(z-1); math.Abs(got-want) > 1e-12 {
			t.Fatalf("distance %v, want %v", got, want)
		}
		low, high := place.Draw(t, "low"), place.Draw(t, "high")
		low, high = min(low, high), max(low, high)
		if bound := Outside(x, low, high, period); y >= low && y <= high && bound > PeriodicDistance([]float64{x}, []float64{y}, []float64{period}) {
			t.Fatalf("%v is %v outside of [%v, %v], and nearer to %v", x, bound, low, high, y)
		}
	})
}
