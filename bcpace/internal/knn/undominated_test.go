package knn

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestLines: whatever point of a line is asked for, its k nearest samples are at sites that
// Find has found, with their distances.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(2, 5).Draw(t, "dim")
		free, k := rapid.IntRange(1, min(3, dim-1)).Draw(t, "free"), rapid.IntRange(1, 6).Draw(t, "k")
		coordinate := rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 0.25, 0.5, 0.75}))
		point := rapid.SliceOfN(coordinate, dim, dim)
		index := Index{Dim: dim}
		if rapid.Bool().Draw(t, "round") {
			index.Periods = []float64{1}
		}
		for id, x := range rapid.SliceOfN(point, 0, 200).Draw(t, "points") {
			index.Add(x, int32(id))
		}
		x := point.Draw(t, "query")
		var l Lines
		l.Find(&index, x, free, k)
		for j, site := range l.Sites {
			p := index.Point(site)
			rest := 0.0
			for i := free; i < dim; i++ {
				rest += Outside(x[i], p[i], p[i], index.period(i))
			}
			if math.Abs(rest-l.Rest[j]) > 1e-12 || !slices.Equal(l.Free[j*free:(j+1)*free], p[:free]) {
				t.Fatalf("site %d at %v: rest %v and free %v", site, p, l.Rest[j], l.Free[j*free:(j+1)*free])
			}
		}
		for range 20 {
			for i := range free {
				x[i] = rapid.Float64Range(0, 1).Draw(t, "u")
			}
			for _, n := range index.Nearest(nil, x, k) {
				if !slices.Contains(l.Sites, n.Site) {
					t.Fatalf("site %d at %v is among the %d nearest of %v, and not among the %d found", n.Site, index.Point(n.Site), k, x, len(l.Sites))
				}
			}
		}
	})
}
