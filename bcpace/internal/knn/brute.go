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

// Distance returns the L1 distance of x and y.
func Distance(x, y []float64) float64 {
	d := 0.0
	for i, v := range x {
		d += math.Abs(v - y[i])
	}
	return d
}
