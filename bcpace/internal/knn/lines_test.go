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

// TestLine: a line to which samples were added holds what one holds that is found at once, and
// this is what counting all dominating samples tells.
func TestLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(2, 5).Draw(t, "dim")
		free, k := rapid.IntRange(1, min(3, dim-1)).Draw(t, "free"), rapid.IntRange(1, 6).Draw(t, "k")
		coordinate := rapid.OneOf(envtest.Evenly(0, 1), rapid.SampledFrom([]float64{0, 0.25, 0.5, 0.75}))
		point := rapid.SliceOfN(coordinate, dim, dim)
		index := Index{Dim: dim}
		if rapid.Bool().Draw(t, "round") {
			index.Periods = []float64{1}
		}
		x, points := point.Draw(t, "query"), rapid.SliceOfN(point, 0, 150).Draw(t, "points")
		before := rapid.IntRange(0, len(points)).Draw(t, "before")
		var w LineSearch
		var grown, found Line
		for id, p := range points {
			if id == before {
				grown.Find(&index, x, free, k, &w)
			}
			site, fresh := index.Add(p, int32(id))
			if id >= before {
				grown.Add(&index, x, free, k, site, fresh)
			}
		}
		if before == len(points) {
			grown.Find(&index, x, free, k, &w)
		}
		found.Find(&index, x, free, k, &w)
		if !slices.Equal(grown.Sites, found.Sites) || !slices.Equal(grown.Rest, found.Rest) || !slices.Equal(grown.Free, found.Free) {
			t.Fatalf("grown:\n%v\nfound:\n%v", grown, found)
		}
		for site := range int32(index.Sites()) {
			s, dominating := lineSite{site, index.offLine(x, index.Point(site), free), index.Point(site)[:free]}, 0
			for other := range int32(index.Sites()) {
				if p := index.Point(other); index.dominates(lineSite{other, index.offLine(x, p, free), p[:free]}, s) {
					dominating += len(index.Samples(other))
				}
			}
			if slices.Contains(found.Sites, site) != (dominating < k) {
				t.Fatalf("site %d is dominated by %d samples of %d, in the line: %t", site, dominating, k, slices.Contains(found.Sites, site))
			}
		}
	})
}
