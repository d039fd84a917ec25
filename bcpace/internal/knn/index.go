package knn

import (
	"math"
)

// Index answers as Brute does, bit for bit and ties included, from a tree of
// bounding boxes: a k-d tree whose leaves hold up to bucket sites and whose
// nodes know the smallest box around their sites. The zero value with Dim set,
// and Radii where Reached is wanted, is an empty set.
//
// Add takes O(log² n) time amortised for a fixed dimension: it puts a site into
// the leaf on its side of every split, and a part of the tree that has grown
// lopsided is rebuilt. A search costs O(log n) and the leaves that its ball
// meets, which are few in low dimensions and all of them in high ones: with 64
// coordinates that fill their space it does what Brute does.
//
// No search loses a site to rounding. The bound of a box is computed like the
// distance of a point, from smaller or equal terms added in the same order, and
// rounding is monotone: what is computed for a box is at most what is computed
// for each point in it, with no slack needed.
//
// Searches may run side by side, on buffers of their own; Add and SetRadius
// must run alone. Coordinates must be finite.
type Index struct {
	// Dim is the number of coordinates.
	Dim int
	// Periods has the periods of the first coordinates; see PeriodicDistance.
	Periods []float64
	// Radii is the number of radii that each site has for Reached. 0 means none.
	Radii int

	sites
	nodes  []node    // the root is node 0
	boxes  []float32 // nodes × Dim × (low, high), rounded outwards
	reach  []float64 // nodes × Radii: the largest radius below
	points []float64 // slots × Dim; leaf i has the slots from i·bucket() on
	at     []int32   // by slot: its site
	owner  []int32   // by leaf: its node
	slot   []int32   // by site: its slot
	radius []float64 // sites × Radii

	freePairs, freeLeaves []int32
	items                 items // scratch of rebuild
}

const maxBucket = 64

// bucket returns the number of sites that a leaf has room for: more in high
// dimensions, where looking at a box is dear and seldom excludes it.
func (t *Index) bucket() int { return min(max(24, 4*t.Dim), maxBucket) }

// node is a node of the tree. Sites whose coordinate at axis is below split are
// on the left, those above it on the right; sites at split may be on both sides.
type node struct {
	left   int32 // the left child, with the right one behind it; −1 in a leaf
	leaf   int32 // the number of the leaf
	parent int32 // −1 at the root
	axis   int32
	split  float64
	count  int32 // sites below
	first  int32 // the smallest of them
}

// slots returns the slots from–to that a leaf uses.
func (t *Index) slots(leaf *node) (from, to int) {
	from = int(leaf.leaf) * t.bucket()
	return from, from + int(leaf.count)
}

// Point returns the coordinates of a site, until the next Add.
func (t *Index) Point(site int32) []float64 {
	i := int(t.slot[site]) * t.Dim
	return t.points[i : i+t.Dim : i+t.Dim]
}

// Nearest appends to dst[:0] the list of the k nearest samples of x, or of all
// where there are fewer. It does not allocate where dst has capacity k+1.
func (t *Index) Nearest(dst []Neighbor, x []float64, k int) []Neighbor {
	s := search{t: t, x: x[:t.Dim], k: k, list: dst[:0], worst: farthest}
	if len(t.nodes) > 0 && k > 0 {
		s.visit(0)
	}
	return s.list
}

// farthest comes after every neighbour.
var farthest = Neighbor{math.MaxInt32, math.Inf(1)}

// search is a search for the nearest samples.
type search struct {
	t     *Index
	x     []float64
	k     int
	total int        // samples in list
	list  []Neighbor // the nearest so far
	worst Neighbor   // only what comes before it can still enter
	dist  [maxBucket]float64
}

// visit searches a node, first the child on the query's side of the split.
func (s *search) visit(n int32) {
	t := s.t
	nd := &t.nodes[n]
	if nd.left < 0 {
		s.scan(t.slots(nd))
		return
	}
	near, far, gap := nd.left, nd.left+1, nd.split-s.x[nd.axis]
	if gap < 0 {
		near, far, gap = far, near, -gap
	}
	if t.period(int(nd.axis)) > 0 {
		gap = 0 // the way round may be shorter
	}
	s.visit(near)

	// The gap alone is a lower bound too, and at hand.
	if gap <= s.worst.Dist && s.admits(far, t.bound(far, s.x, s.worst.Dist)) {
		s.visit(far)
	}
}

// admits reports whether a node of that bound may hold a neighbour.
func (s *search) admits(n int32, bound float64) bool {
	return Neighbor{s.t.nodes[n].first, bound}.before(s.worst)
}

// scan compares the sites of a leaf.
func (s *search) scan(from, to int) {
	t := s.t
	points := t.points[from*t.Dim : to*t.Dim]
	dist := s.dist[:to-from]
	if x := s.x; len(x) == 4 && t.Periods == nil { // without a branch, as in the paper's models
		x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
		for i := range dist {
			p := points[4*i : 4*i+4 : 4*i+4]
			dist[i] = math.Abs(p[0]-x0) + math.Abs(p[1]-x1) + math.Abs(p[2]-x2) + math.Abs(p[3]-x3)
		}
	} else if t.Periods != nil {
		for i := range dist {
			dist[i] = PeriodicDistance(points[i*len(x):(i+1)*len(x)], x, t.Periods)
		}
	} else {
		for i := range dist {
			dist[i] = within(points[i*len(x):(i+1)*len(x)], x, s.worst.Dist)
		}
	}
	for i, d := range dist {
		if d > s.worst.Dist {
			continue
		}
		if n := (Neighbor{t.at[from+i], d}); n.before(s.worst) {
			s.list = insert(s.list, n)
			s.total += len(t.ids[n.Site])
			s.list, s.total = t.trim(s.list, s.total, s.k)
			if s.total >= s.k {
				s.worst = s.list[len(s.list)-1]
			}
		}
	}
}

// stride is how many coordinates are added between two looks at the limit: a
// look that the processor cannot foresee costs as much as several of them.
const stride = 16

// bound returns a lower bound of Distance(p, x) for all points p in the box of
// node n: the distance of x to the box, or any part of it above limit.
func (t *Index) bound(n int32, x []float64, limit float64) float64 {
	if t.Periods != nil {
		return t.restOf(n, x, 0)
	}
	box := t.boxes[2*int(n)*len(x) : 2*(int(n)+1)*len(x)]
	if len(x) == 4 && len(box) == 8 {
		return max(float64(box[0])-x[0], x[0]-float64(box[1]), 0) +
			max(float64(box[2])-x[1], x[1]-float64(box[3]), 0) +
			max(float64(box[4])-x[2], x[2]-float64(box[5]), 0) +
			max(float64(box[6])-x[3], x[3]-float64(box[7]), 0)
	}
	d := 0.0
	for len(x) > stride {
		d = boxDistance(d, box[:2*stride], x[:stride])
		if d > limit {
			return d
		}
		box, x = box[2*stride:], x[stride:]
	}
	return boxDistance(d, box, x)
}

// boxDistance adds the distance of x to a box to d, in the order of Distance.
func boxDistance(d float64, box []float32, x []float64) float64 {
	for len(x) >= 4 && len(box) >= 8 {
		d += max(float64(box[0])-x[0], x[0]-float64(box[1]), 0)
		d += max(float64(box[2])-x[1], x[1]-float64(box[3]), 0)
		d += max(float64(box[4])-x[2], x[2]-float64(box[5]), 0)
		d += max(float64(box[6])-x[3], x[3]-float64(box[7]), 0)
		box, x = box[8:], x[4:]
	}
	for i, v := range x {
		d += max(float64(box[2*i])-v, v-float64(box[2*i+1]), 0)
	}
	return d
}

// within returns Distance(p, x), or any part of it above limit. A sum of terms
// that are not negative only grows, so that part is enough to reject p.
func within(p, x []float64, limit float64) float64 {
	d := 0.0
	for len(x) > stride {
		d = distance(d, p[:stride], x[:stride])
		if d > limit {
			return d
		}
		p, x = p[stride:], x[stride:]
	}
	return distance(d, p, x)
}

// distance adds Distance(p, x) to d, in the same order.
func distance(d float64, p, x []float64) float64 {
	for len(x) >= 4 && len(p) >= 4 {
		d += math.Abs(p[0] - x[0])
		d += math.Abs(p[1] - x[1])
		d += math.Abs(p[2] - x[2])
		d += math.Abs(p[3] - x[3])
		p, x = p[4:], x[4:]
	}
	for i, v := range x {
		d += math.Abs(p[i] - v)
	}
	return d
}
