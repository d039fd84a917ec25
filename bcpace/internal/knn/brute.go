// Package knn finds nearest neighbours under the L1 distance in a growing set
// of points that carry samples.
//
// Samples whose points coincide share a site: in a finite model thousands of
// samples stand on a few sites, and a search that sees sites is as much
// shorter. A list of k nearest neighbours is therefore a list of sites, nearest
// first, whose samples together are at least k, and fewer than k without the
// last; the samples that count are the first k of them, those of one site in
// the order of their ids.
package knn

import "math"

// Coincidence is the distance within which two points count as one. It covers
// the rounding of a belief that was reached by two orders of the same
// observations; a Lipschitz estimate moves by that much times its constant.
const Coincidence = 1e-9

// Neighbor is a site and its distance to the query.
type Neighbor struct {
	Site int32
	Dist float64
}

// before orders neighbours by distance and, at the same distance, by site, so
// that an answer never depends on the order of a search.
func (n Neighbor) before(m Neighbor) bool {
	return n.Dist < m.Dist || n.Dist == m.Dist && n.Site < m.Site
}

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

// Distance returns the L1 distance of x and y.
func Distance(x, y []float64) float64 {
	d := 0.0
	for i, v := range x {
		d += math.Abs(v - y[i])
	}
	return d
}
