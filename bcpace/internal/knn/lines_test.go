package knn

import (
	"math"
	"slices"
	"testing"

	"bayescpace/envs/envtest"

	"pgregory.net/rapid"
)

// TestLines: whatever point of a line is asked for, its k nearest samples are at sites that
// Find has found, with their distances.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(2, 5).Draw(t, "dim")
		free, k := rapid.IntRange(1, min(3, dim-1)).Draw(t, "free"), rapid.IntRange(1, 6).Draw(t, "k")
		coordinate := rapid.OneOf(envtest.Evenly(0, 1), rapid.SampledFrom([]float64{0, 0.25, 0.5, 0.75}))
		point := rapid.SliceOfN(coordinate, dim, dim)
		index := Index{Dim: dim}
		if rapid.Bool().Draw(t, "round") {
			index.Periods = []float64{1}
		}
		for id, x := range rapid.SliceOfN(point, 0, 200).Draw(t, "points") {
			index.Add(x, int32(id))
		}
		x := point.Draw(t, "query")
		var l LineSearch
		l.Find(&index, x, free, k, math.Inf(1))
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
				x[i] = envtest.Evenly(0, 1).Draw(t, "u")
			}
			for _, n := range index.Nearest(nil, x, k) {
				if !slices.Contains(l.Sites, n.Site) {
					t.Fatalf("site %d at %v is among the %d nearest of %v, and not among the %d found", n.Site, index.Point(n.Site), k, x, len(l.Sites))
				}
			}
		}
	})
}

// TestLinesWithin: a search that looks less far leaves out what is farther, and nothing else.
func TestLinesWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		index, x, free := drawLine(t, 0)
		k, within := rapid.IntRange(1, 6).Draw(t, "k"), envtest.Evenly(0, 1).Draw(t, "within")
		var all, near LineSearch
		all.Find(index, x, free, k, math.Inf(1))
		near.Find(index, x, free, k, within)
		var want []int32
		for j, site := range all.Sites {
			if all.Rest[j] < within {
				want = append(want, site)
			}
		}
		slices.Sort(want)
		if got := slices.Sorted(slices.Values(near.Sites)); !slices.Equal(got, want) {
			t.Fatalf("within %v are the sites %v, want %v", within, got, want)
		}
	})
}

// TestWidest: the largest radius of a site that reaches the line is that of a look at all sites.
func TestWidest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		index, x, free := drawLine(t, 1)
		less := rapid.SampledFrom([]float64{-0.5, 0, 0.25}).Draw(t, "less")
		want := 0.0
		for site := range int32(index.Sites()) {
			r := envtest.Evenly(-1, 1).Draw(t, "radius")
			index.SetRadius(site, 0, r)
			if r -= less; r > want && index.offLine(x, index.Point(site), free) < r {
				want = r
			}
		}
		if got := index.Widest(x, free, 0, less); got != want {
			t.Fatalf("the widest radius is %v, want %v", got, want)
		}
	})
}

// drawLine draws an index and a line through a point.
func drawLine(t *rapid.T, radii int) (index *Index, x []float64, free int) {
	dim := rapid.IntRange(2, 5).Draw(t, "dim")
	free = rapid.IntRange(0, min(3, dim-1)).Draw(t, "free")
	point := rapid.SliceOfN(rapid.OneOf(envtest.Evenly(0, 1), rapid.SampledFrom([]float64{0, 0.25, 0.5, 0.75})), dim, dim)
	index = &Index{Dim: dim, Radii: radii}
	if rapid.Bool().Draw(t, "round") {
		index.Periods = []float64{1}
	}
	for id, p := range rapid.SliceOfN(point, 0, 150).Draw(t, "points") {
		index.Add(p, int32(id))
	}
	return index, point.Draw(t, "query"), free
}
