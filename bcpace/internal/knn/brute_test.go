package knn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// BruteForce compares the query with every site: the oracle of Index. The zero value
// with Dim set is an empty set.
type BruteForce struct {
	Dim     int
	Periods []float64 // see PeriodicDistance
	sites
	points []float64 // sites × Dim
}

// Add puts sample id at point x, of length Dim, and returns the site it went
// to and whether the site is new. Ids must increase from call to call.
func (b *BruteForce) Add(x []float64, id int32) (site int32, fresh bool) {
	near := b.Nearest(make([]Neighbor, 0, 2), x, 1)
	if len(near) > 0 && near[0].Dist <= Coincidence {
		site = near[0].Site
		b.ids[site] = append(b.ids[site], id)
		return site, false
	}
	b.points = append(b.points, x...)
	b.ids = append(b.ids, []int32{id})
	return int32(len(b.ids) - 1), true
}

// Point returns the coordinates of a site.
func (b *BruteForce) Point(site int32) []float64 {
	return b.points[int(site)*b.Dim : (int(site)+1)*b.Dim]
}

// Nearest appends to dst[:0] the list of the k nearest samples of x, or of all
// where there are fewer. It does not allocate where dst has capacity k+1.
func (b *BruteForce) Nearest(dst []Neighbor, x []float64, k int) []Neighbor {
	dst = dst[:0]
	total, worst := 0, math.Inf(1)
	for i := range b.ids {
		d := PeriodicDistance(b.points[i*b.Dim:(i+1)*b.Dim], x, b.Periods)
		if d > worst {
			continue
		}
		dst = insert(dst, Neighbor{int32(i), d})
		total += len(b.ids[i])
		dst, total = b.trim(dst, total, k)
		if total >= k {
			worst = dst[len(dst)-1].Dist
		}
	}
	return dst
}

// reference lists the k nearest samples of x one by one, from all points ever
// added, in the order of distance and site.
func reference(b *BruteForce, x []float64, k int) []int32 {
	var sites []Neighbor
	for s := range b.Sites() {
		sites = append(sites, Neighbor{int32(s), Distance(b.Point(int32(s)), x)})
	}
	slices.SortFunc(sites, func(n, m Neighbor) int {
		if n.before(m) {
			return -1
		}
		return 1
	})
	var ids []int32
	for _, n := range sites {
		ids = append(ids, b.Samples(n.Site)...)
	}
	return ids[:min(k, len(ids))]
}

// expand lists the first k samples of a list of neighbours.
func expand(b *BruteForce, list []Neighbor, k int) []int32 {
	var ids []int32
	for _, n := range list {
		ids = append(ids, b.Samples(n.Site)...)
	}
	return ids[:min(k, len(ids))]
}

// Points on a small lattice, so that distances tie and points coincide.
func TestNearestAndUpdateAgainstSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim, k := rapid.IntRange(1, 4).Draw(t, "dim"), rapid.IntRange(1, 6).Draw(t, "k")
		point := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 3), func(i int) float64 { return float64(i) / 2 }), dim, dim)
		b, query := BruteForce{Dim: dim}, point.Draw(t, "query")
		var kept []Neighbor
		total := 0
		for id, x := range rapid.SliceOfN(point, 0, 40).Draw(t, "points") {
			site, fresh := b.Add(x, int32(id))
			kept, total = b.Update(kept, total, Neighbor{site, Distance(b.Point(site), query)}, fresh, k)

			want := reference(&b, query, k)
			list := b.Nearest(nil, query, k)
			if got := expand(&b, list, k); !slices.Equal(got, want) {
				t.Fatalf("Nearest: %v, want %v", got, want)
			}
			if !slices.Equal(kept, list) {
				t.Fatalf("Update keeps %v, Nearest finds %v", kept, list)
			}
			if n := b.Count(kept); n != total {
				t.Fatalf("Update counts %d samples, there are %d", total, n)
			}
			if n := b.Count(list); len(list) > 0 && n-len(b.Samples(list[len(list)-1].Site)) >= k {
				t.Fatalf("list %v holds a site too many for k = %d", list, k)
			}
		}
	})
}

func TestCoincidentPointsShareASite(t *testing.T) {
	b := BruteForce{Dim: 2}
	b.Add([]float64{1, 2}, 0)
	if site, fresh := b.Add([]float64{1, 2 + 1e-12}, 5); site != 0 || fresh {
		t.Errorf("a point 1e-12 away went to site %d (fresh %v), want the first site", site, fresh)
	}
	if site, fresh := b.Add([]float64{1, 2 + 1e-6}, 6); site != 1 || !fresh {
		t.Errorf("a point 1e-6 away went to site %d (fresh %v), want a new one", site, fresh)
	}
	if got := b.Samples(0); !slices.Equal(got, []int32{0, 5}) {
		t.Errorf("samples of site 0: %v", got)
	}
}

func TestNearestDoesNotAllocate(t *testing.T) {
	b, x := random(500, 4)
	dst := make([]Neighbor, 0, 6)
	if n := testing.AllocsPerRun(50, func() { dst = b.Nearest(dst, x, 5) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkNearest(b *testing.B) {
	index, x := random(10_000, 4)
	dst := make([]Neighbor, 0, 6)
	b.ReportAllocs()
	for b.Loop() {
		dst = index.Nearest(dst, x, 5)
	}
}

func random(n, dim int) (*BruteForce, []float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	b, x := &BruteForce{Dim: dim}, make([]float64, dim)
	for id := range n {
		for j := range x {
			x[j] = rng.Float64()
		}
		b.Add(x, int32(id))
	}
	return b, x
}
