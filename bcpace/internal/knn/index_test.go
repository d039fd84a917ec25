package knn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// cloud draws points of one kind: on a lattice, where distances tie and points
// coincide; nearly on a lattice, so that points coincide without being equal;
// anywhere; beliefs on a simplex beside one discrete coordinate; on a line; and
// marching in one direction, which makes a tree lopsided.
func cloud(t *rapid.T, dim, n int) [][]float64 {
	kind := rapid.SampledFrom([]string{"lattice", "rounded", "anywhere", "simplex", "line", "march"}).Draw(t, "kind")
	seed := rapid.Uint64().Draw(t, "seed")
	return cloudOf(kind, rand.New(rand.NewPCG(seed, 1)), dim, n)
}

func cloudOf(kind string, rng *rand.Rand, dim, n int) [][]float64 {
	points := make([][]float64, n)
	for i := range points {
		x := make([]float64, dim)
		for j := range x {
			switch kind {
			case "lattice":
				x[j] = float64(rng.IntN(4)) / 2
			case "rounded":
				x[j] = float64(rng.IntN(4))/2 + rng.Float64()*2e-9/float64(dim)
			case "anywhere":
				x[j] = rng.Float64()
			case "simplex":
				x[j] = rng.ExpFloat64()
			case "line":
				x[j] = 0.5
			case "march":
				x[j] = float64(i) + rng.Float64()
			}
		}
		switch kind {
		case "simplex":
			sum := 0.0
			for _, v := range x[1:] {
				sum += v
			}
			for j := range x[1:] {
				x[1+j] /= sum
			}
			x[0] = float64(rng.IntN(5))
		case "line":
			x[dim-1] = float64(rng.IntN(n)) / 7
		}
		points[i] = x
	}
	return points
}

// periodsOf draws periods for points: none, or for some coordinates one that is no shorter
// than they are apart.
func periodsOf(t *rapid.T, points ...[]float64) []float64 {
	if !rapid.Bool().Draw(t, "periodic") {
		return nil
	}
	periods := make([]float64, rapid.IntRange(1, len(points[0])).Draw(t, "periods"))
	for j := range periods {
		low, high := math.Inf(1), math.Inf(-1)
		for _, x := range points {
			low, high = min(low, x[j]), max(high, x[j])
		}
		periods[j] = (high - low) * rapid.SampledFrom([]float64{0, 1, 1.3}).Draw(t, "longer")
	}
	return periods
}

// kinds of clouds, for benchmarks.
var kinds = []string{"lattice", "anywhere", "simplex", "line", "march"}

// check compares every answer of the index with brute force.
func check(tb rapid.TB, t *Index, b *BruteForce, x []float64, k int) {
	tb.Helper()
	if got, want := t.Nearest(nil, x, k), b.Nearest(nil, x, k); !slices.Equal(got, want) {
		tb.Fatalf("Nearest(%v, %d) = %v, want %v", x, k, got, want)
	}
}

func TestIndexAgainstBrute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.OneOf(rapid.IntRange(1, 5), rapid.IntRange(1, 64)).Draw(t, "dim")
		k := rapid.IntRange(1, 40).Draw(t, "k")
		points, queries := cloud(t, dim, rapid.IntRange(1, 400).Draw(t, "n")), cloud(t, dim, 5)
		periods := periodsOf(t, append(queries, points...)...)
		b, index := BruteForce{Dim: dim, Periods: periods}, Index{Dim: dim, Periods: periods}
		for id, x := range points {
			site, fresh := b.Add(x, int32(id))
			if s, f := index.Add(x, int32(id)); s != site || f != fresh {
				t.Fatalf("Add(%v) = %d, %v, want %d, %v", x, s, f, site, fresh)
			}
			if !slices.Equal(index.Point(site), b.Point(site)) || !slices.Equal(index.Samples(site), b.Samples(site)) {
				t.Fatalf("site %d is %v with %v, want %v with %v", site, index.Point(site), index.Samples(site), b.Point(site), b.Samples(site))
			}
			if id%50 == 3 {
				check(t, &index, &b, points[(id*7)%len(points)], k)
			}
		}
		verify(t, &index)
		for _, x := range queries {
			check(t, &index, &b, x, k)
		}
		check(t, &index, &b, points[0], k)
	})
}

// TestTies asks between and on the points of a lattice of many leaves, where sites of
// any number are equally near, whichever leaf is searched first.
func TestTies(t *testing.T) {
	const side = 40
	b, index := BruteForce{Dim: 2}, Index{Dim: 2}
	for id, p := range rand.New(rand.NewPCG(1, 2)).Perm(side * side) {
		x := []float64{float64(p % side), float64(p / side)}
		b.Add(x, int32(id))
		index.Add(x, int32(id))
	}
	for p := range side * side {
		x := []float64{float64(p%side) * 1.5, float64(p/side) / 2}
		for _, k := range []int{1, 2, 7} {
			if got, want := index.Nearest(nil, x, k), b.Nearest(nil, x, k); !slices.Equal(got, want) {
				t.Fatalf("Nearest(%v, %d) = %v, want %v", x, k, got, want)
			}
		}
	}
}

// verify checks the invariants of the tree.
func verify(tb rapid.TB, t *Index) {
	tb.Helper()
	seen := make([]bool, t.Sites())
	var walk func(n, parent int32) (count, first int32)
	walk = func(n, parent int32) (count, first int32) {
		nd := t.nodes[n]
		if nd.parent != parent {
			tb.Fatalf("node %d has parent %d, want %d", n, nd.parent, parent)
		}
		if nd.left < 0 {
			first = farthest.Site
			for i, to := t.slots(&nd); i < to; i++ {
				site := t.at[i]
				if seen[site] || int(t.slot[site]) != i || t.owner[nd.leaf] != n {
					tb.Fatalf("site %d is not in its slot", site)
				}
				seen[site] = true
				first = min(first, site)
				if d := t.bound(n, t.Point(site), farthest.Dist); d != 0 {
					tb.Fatalf("site %d is %v outside of the box of its leaf", site, d)
				}
			}
			count = nd.count
		} else {
			lc, lf := walk(nd.left, n)
			rc, rf := walk(nd.left+1, n)
			count, first = lc+rc, min(lf, rf)
			if most := max(lc, rc); count > 8*int32(t.bucket()) && float64(most) > lopsided*float64(count)+1 {
				tb.Fatalf("node %d has %d of its %d sites on one side", n, most, count)
			}
		}
		if nd.count != count || nd.first != first {
			tb.Fatalf("node %d counts %d sites from %d on, want %d from %d", n, nd.count, nd.first, count, first)
		}
		for j := range t.Radii {
			if most := t.largest(n, j); t.reach[int(n)*t.Radii+j] != most {
				tb.Fatalf("node %d has reach %v, want %v", n, t.reach[int(n)*t.Radii+j], most)
			}
		}
		return count, first
	}
	if t.Sites() > 0 {
		walk(0, -1)
	}
	if i := slices.Index(seen, false); i >= 0 {
		tb.Fatalf("site %d is in no leaf", i)
	}
}

func TestReachedAgainstAllSites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim, radii := rapid.IntRange(1, 4).Draw(t, "dim"), rapid.IntRange(1, 3).Draw(t, "radii")
		seed := rapid.Uint64().Draw(t, "seed")
		rng := rand.New(rand.NewPCG(seed, 2))
		points := cloud(t, dim, rapid.IntRange(1, 300).Draw(t, "n"))
		index := Index{Dim: dim, Periods: periodsOf(t, points...), Radii: radii}
		for id, x := range points {
			site, _ := index.Add(x, int32(id))
			if rng.IntN(3) > 0 {
				index.SetRadius(site, rng.IntN(radii), float64(rng.IntN(5)-1)/2)
			}
			if id%20 != 0 {
				continue
			}
			y, j := points[rng.IntN(len(points))], rng.IntN(radii)
			var want []Neighbor
			for s := range int32(index.Sites()) {
				if d := PeriodicDistance(index.Point(s), y, index.Periods); d < index.radius[int(s)*radii+j] {
					want = append(want, Neighbor{s, d})
				}
			}
			got := index.Reached(nil, y, j, 0)
			slices.SortFunc(got, func(n, m Neighbor) int { return int(n.Site - m.Site) })
			if !slices.Equal(got, want) {
				t.Fatalf("Reached(%v, %d) = %v, want %v", y, j, got, want)
			}
		}
		verify(t, &index)
	})
}

// An index that is renumbered now and then against one over the same calls that
// never is: the same sites under other names, as Reached and Nearest see them.
func TestRenumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 4).Draw(t, "dim")
		index, plain := Index{Dim: dim, Radii: 2}, Index{Dim: dim, Radii: 2}
		name := []int32{} // by site of index: the site of plain
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "stream"), 2))
		every := rapid.IntRange(1, 90).Draw(t, "every")
		for id, x := range cloud(t, dim, rapid.IntRange(1, 300).Draw(t, "n")) {
			site, fresh := index.Add(x, int32(id))
			want, f := plain.Add(x, int32(id))
			if fresh {
				name = append(name, want)
			}
			if fresh != f || name[site] != want {
				t.Fatalf("sample %d went to site %d, fresh %v, want %d, %v", id, name[site], fresh, want, f)
			}
			j, r := rng.IntN(2), float64(rng.IntN(5)-1)/2
			index.SetRadius(site, j, r)
			plain.SetRadius(want, j, r)
			if id%every == 0 {
				old := index.Renumber()
				names := make([]int32, len(old))
				for s, o := range old {
					names[s] = name[o]
				}
				name = names
				verify(t, &index)
			}
			if id%20 > 0 {
				continue
			}
			for s, p := range name {
				if site := int32(s); !slices.Equal(index.Point(site), plain.Point(p)) || !slices.Equal(index.Samples(site), plain.Samples(p)) {
					t.Fatalf("site %d is %v with %v, want %v with %v", s, index.Point(site), index.Samples(site), plain.Point(p), plain.Samples(p))
				}
			}
			got := index.Reached(nil, x, j, 0)
			for i := range got {
				got[i].Site = name[got[i].Site]
			}
			reached := plain.Reached(nil, x, j, 0)
			for _, list := range [][]Neighbor{got, reached} {
				slices.SortFunc(list, func(n, m Neighbor) int { return int(n.Site - m.Site) })
			}
			if !slices.Equal(got, reached) {
				t.Fatalf("Reached(%v, %d) = %v, want %v", x, j, got, reached)
			}
		}
	})
}

func FuzzIndex(f *testing.F) {
	f.Fuzz(func(t *testing.T, dims, k uint8, data []byte) {
		dim := 1 + int(dims)%64
		b, index := BruteForce{Dim: dim}, Index{Dim: dim}
		x := make([]float64, dim)
		for id := int32(0); len(data) >= dim; id++ {
			for j := range x {
				x[j] = float64(int8(data[j])) / 3
			}
			data = data[dim:]
			site, fresh := b.Add(x, id)
			if s, f := index.Add(x, id); s != site || f != fresh {
				t.Fatalf("Add(%v) = %d, %v, want %d, %v", x, s, f, site, fresh)
			}
			x[0] += 0.5
			check(t, &index, &b, x, 1+int(k)%32)
		}
		verify(t, &index)
	})
}

func TestIndexDoesNotAllocate(t *testing.T) {
	points := cloudOf("anywhere", rand.New(rand.NewPCG(1, 2)), 4, 3000)
	index := Index{Dim: 4, Radii: 1}
	for id, x := range points {
		site, _ := index.Add(x, int32(id))
		index.SetRadius(site, 0, 0.1)
	}
	dst := make([]Neighbor, 0, 200)
	for name, f := range map[string]func(){
		"Nearest": func() { dst = index.Nearest(dst, points[7], 5) },
		"Reached": func() { dst = index.Reached(dst, points[7], 0, 0) },
	} {
		if n := testing.AllocsPerRun(50, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestSearchesSideBySide(t *testing.T) {
	points := cloudOf("simplex", rand.New(rand.NewPCG(3, 4)), 4, 2000)
	index := build(points)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			var dst []Neighbor
			for i := w; i < len(points); i += 4 {
				if dst = index.Nearest(dst, points[i], 3); dst[0].Dist > Coincidence {
					t.Errorf("point %d is %v from its nearest site", i, dst[0].Dist)
				}
			}
		})
	}
	wg.Wait()
}

func build(points [][]float64) *Index {
	index := &Index{Dim: len(points[0])}
	for id, x := range points {
		index.Add(x, int32(id))
	}
	return index
}

// BenchmarkIndex searches 100,000 points for 5 neighbours, and reports how many
// times faster that is than brute force in the same run.
func BenchmarkIndex(b *testing.B) {
	for _, c := range []struct {
		kind string
		dim  int
	}{{"anywhere", 2}, {"anywhere", 4}, {"simplex", 4}, {"lattice", 4}, {"line", 4}, {"march", 4}, {"anywhere", 8}, {"simplex", 8}, {"anywhere", 64}, {"simplex", 64}} {
		b.Run(fmt.Sprintf("%s/%dD", c.kind, c.dim), func(b *testing.B) {
			const n = 100_000
			rng := rand.New(rand.NewPCG(1, uint64(c.dim)))
			points, queries := cloudOf(c.kind, rng, c.dim, n), cloudOf(c.kind, rng, c.dim, 1000)
			index := build(points)
			brute := &BruteForce{Dim: c.dim}
			for s := range int32(index.Sites()) { // sites are distinct: Add would only take its time to see it
				brute.points = append(brute.points, index.Point(s)...)
				brute.ids = append(brute.ids, index.Samples(s))
			}
			dst := make([]Neighbor, 0, 6)
			// The fastest of some rounds each, since other work on the machine only slows.
			slow, fast := math.Inf(1), math.Inf(1)
			for i := range 20 {
				slow = min(slow, seconds(func() { dst = brute.Nearest(dst, queries[i], 5) }))
				fast = min(fast, seconds(func() {
					for _, x := range queries {
						dst = index.Nearest(dst, x, 5)
					}
				})/float64(len(queries)))
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				dst = index.Nearest(dst, queries[i%len(queries)], 5)
				i++
			}
			b.ReportMetric(slow/fast, "×brute")
		})
	}
}

// BenchmarkIndexAdd is the cost of a point while a set grows to 100,000.
func BenchmarkIndexAdd(b *testing.B) {
	for _, kind := range kinds {
		for _, dim := range []int{4, 64} {
			b.Run(fmt.Sprintf("%s/%dD", kind, dim), func(b *testing.B) {
				const n = 100_000
				points := cloudOf(kind, rand.New(rand.NewPCG(2, uint64(dim))), dim, n)
				for b.Loop() {
					build(points)
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/n, "ns/point")
			})
		}
	}
}

// seconds times f.
func seconds(f func()) float64 {
	start := time.Now()
	f()
	return time.Since(start).Seconds()
}
