// Package knn finds nearest neighbours under the L1 distance in a growing set
// of points.
package knn

import "math"

// Neighbor is a point of the set and its distance to the query.
type Neighbor struct {
	ID   int32
	Dist float64
}

// Less orders neighbours by distance and, at the same distance, by id, so that
// an answer never depends on the order of a search.
func (n Neighbor) Less(m Neighbor) bool {
	return n.Dist < m.Dist || n.Dist == m.Dist && n.ID < m.ID
}

// Brute compares the query with every point. The zero value with Dim set is an
// empty set.
type Brute struct {
	Dim    int
	points []float64 // n × Dim
	ids    []int32
}

// Add puts a copy of x, of length Dim, into the set under the given id.
func (b *Brute) Add(x []float64, id int32) {
	b.points = append(b.points, x...)
	b.ids = append(b.ids, id)
}

// Len returns the number of points.
func (b *Brute) Len() int { return len(b.ids) }

// Nearest appends to dst[:0] the k nearest points of x, or all where there are
// fewer, nearest first. It does not allocate where dst has capacity k.
func (b *Brute) Nearest(dst []Neighbor, x []float64, k int) []Neighbor {
	dst = dst[:0]
	worst := math.Inf(1)
	for i, id := range b.ids {
		p := b.points[i*b.Dim : (i+1)*b.Dim]
		d := 0.0
		for j, v := range p {
			d += math.Abs(v - x[j])
		}
		if d > worst {
			continue
		}
		dst = Insert(dst, Neighbor{id, d}, k)
		if len(dst) == k {
			worst = dst[k-1].Dist
		}
	}
	return dst
}

// Insert puts n in its place in a sorted list that holds at most k neighbours,
// dropping the last where it overflows.
func Insert(list []Neighbor, n Neighbor, k int) []Neighbor {
	if len(list) == k {
		if k == 0 || !n.Less(list[k-1]) {
			return list
		}
	} else {
		list = append(list, n)
	}
	i := len(list) - 1
	for i > 0 && n.Less(list[i-1]) {
		list[i] = list[i-1]
		i--
	}
	list[i] = n
	return list
}

// Distance returns the L1 distance of x and y.
func Distance(x, y []float64) float64 {
	d := 0.0
	for i, v := range x {
		d += math.Abs(v - y[i])
	}
	return d
}
