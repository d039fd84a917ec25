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

// sites holds the samples of each site and what lists of neighbours need to
// know of them.
type sites struct {
	ids [][]int32 // by site: its samples, in increasing order
}

// Sites returns the number of sites.
func (s *sites) Sites() int { return len(s.ids) }

// Samples returns the ids of the samples at a site.
func (s *sites) Samples(site int32) []int32 { return s.ids[site] }

// Count returns the number of samples at the sites of a list.
func (s *sites) Count(list []Neighbor) int {
	n := 0
	for _, x := range list {
		n += len(s.ids[x.Site])
	}
	return n
}

// Update brings a list of k nearest samples, which holds total samples at its
// sites, up to date after Add has put one at n; fresh is what Add returned. What
// it drops stays behind the end of the list it returns. It does not allocate
// where the list has room for one more.
func (s *sites) Update(list []Neighbor, total int, n Neighbor, fresh bool, k int) ([]Neighbor, int) {
	switch {
	case !fresh && len(list) > 0 && !list[len(list)-1].before(n):
		total++ // a sample more at a site of the list
	case fresh && (total < k || n.before(list[len(list)-1])):
		list = insert(list, n)
		total++
	default:
		return list, total
	}
	return s.trim(list, total, k)
}

// Keep puts a site into a list of k nearest samples, which holds total samples at its sites,
// if it belongs there.
func (s *sites) Keep(list []Neighbor, total int, n Neighbor, k int) ([]Neighbor, int) {
	if total >= k && !n.before(list[len(list)-1]) {
		return list, total
	}
	return s.trim(insert(list, n), total+len(s.ids[n.Site]), k)
}

// insert puts n in its place.
func insert(list []Neighbor, n Neighbor) []Neighbor {
	list = append(list, n)
	i := len(list) - 1
	for i > 0 && n.before(list[i-1]) {
		list[i] = list[i-1]
		i--
	}
	list[i] = n
	return list
}

// trim drops the farthest sites that the k nearest samples do without.
func (s *sites) trim(list []Neighbor, total, k int) ([]Neighbor, int) {
	for len(list) > 0 {
		n := len(s.ids[list[len(list)-1].Site])
		if total-n < k {
			break
		}
		list, total = list[:len(list)-1], total-n
	}
	return list, total
}

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

// Distance returns the L1 distance of x and y.
func Distance(x, y []float64) float64 {
	d := 0.0
	for i, v := range x {
		d += math.Abs(v - y[i])
	}
	return d
}

// A coordinate with a period comes again after it, as an angle does: it lies within one
// period, and distances go the shorter way round. periods has one for each of the first
// coordinates, 0 where the coordinate has ends; nil means that all have.

// PeriodicDistance returns the L1 distance of x and y.
func PeriodicDistance(x, y, periods []float64) float64 {
	if periods == nil {
		return Distance(x, y)
	}
	d := 0.0
	for i, v := range x {
		gap := math.Abs(v - y[i])
		if i < len(periods) && periods[i] > 0 {
			gap = max(0, min(gap, periods[i]-gap))
		}
		d += gap
	}
	return d
}

// Outside returns how far x is from the interval [low, high] of a coordinate with a
// period, or with ends where that is 0. For an interval of one point it is what
// PeriodicDistance adds, and for a longer one no more than that for any point in it, also
// in the last bit, as rounding is monotone.
func Outside(x, low, high, period float64) float64 {
	switch {
	case x < low && period > 0:
		return max(0, min(low-x, period-(high-x)))
	case x > high && period > 0:
		return max(0, min(x-high, period-(x-low)))
	}
	return max(low-x, x-high, 0)
}

// period returns the period of a coordinate, 0 where it has none.
func (t *Index) period(i int) float64 {
	if i < len(t.Periods) {
		return t.Periods[i]
	}
	return 0
}

// within returns the distance of p and x, or any part of it above limit.
func (t *Index) within(p, x []float64, limit float64) float64 {
	if t.Periods != nil {
		return PeriodicDistance(p, x, t.Periods)
	}
	return within(p, x, limit)
}

// Rounding bounds how far rounding moves the comparison of an L1 distance with a
// radius r, for points of n coordinates whose sizes sum to at most the given one and
// are meant as decimals:
//
//	2⁻⁵³·(4·size + (n + 4)·r).
//
// A coordinate that is a rounded decimal, times a rounded weight, is off by 2·2⁻⁵³
// of its size, and the sizes of the other point sum to size + r at most; the n
// differences and their sum are off by (n + 1)·2⁻⁵³ of the distance, and r, a
// quotient, by 2⁻⁵³ of its own. So |0.4 − 0.3| is within 0.1, and 0.1 + 10⁻¹⁵ is not
// within it. It is 2⁻²⁰·r at most, however large coordinates are: a radius keeps its
// meaning, and 0 stands for itself.
func Rounding(size, r float64, n int) float64 {
	return min(0x1p-53*(4*size+float64(n+4)*r), 0x1p-20*r)
}

// Within reports whether dist, the distance of x from another point, is at most r, but
// for Rounding.
func Within(dist, r float64, x []float64) bool {
	return dist <= r || dist <= r+Rounding(Size(x), r, len(x))
}

// Size returns the sum of the sizes of the coordinates of x.
func Size(x []float64) float64 {
	size := 0.0
	for _, v := range x {
		size += math.Abs(v)
	}
	return size
}
