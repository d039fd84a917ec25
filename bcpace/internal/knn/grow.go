package knn

import (
	"math"
	"slices"
)

// lopsided is the share of a node's sites in one child above which the node is
// rebuilt, and cut the least share that a new child gets. A node of n sites
// that was built with shares between cut and 1−cut takes more than n/4 new ones
// to become lopsided, so that each site pays for O(log n) rebuilds, of O(log n)
// each.
const (
	lopsided = 0.8
	cut      = 0.3
)

// Add puts sample id at point x, of length Dim, and returns the site it went
// to and whether the site is new. Ids must increase from call to call.
func (t *Index) Add(x []float64, id int32) (site int32, fresh bool) {
	x = x[:t.Dim]
	if len(t.nodes) > 0 {
		var buffer [2]Neighbor
		s := search{t: t, x: x, k: 1, list: buffer[:0], worst: Neighbor{farthest.Site, Coincidence}}
		if s.visit(0); len(s.list) > 0 {
			site = s.list[0].Site
			t.ids[site] = append(t.ids[site], id)
			return site, false
		}
	}
	site = int32(len(t.ids))
	t.ids = append(t.ids, []int32{id})
	t.slot = append(t.slot, -1)
	for range t.Radii {
		t.radius = append(t.radius, farthest.Dist)
	}
	t.insert(x, site)
	return site, true
}

// insert puts a new site into the tree.
func (t *Index) insert(x []float64, site int32) {
	if len(t.nodes) == 0 {
		t.items.take(x, site)
		t.newNode()
		t.nodes[0].parent = -1
		t.build(0, 0, 1)
		t.items.clear()
		return
	}
	n, rebuild := int32(0), int32(-1)
	for {
		nd := &t.nodes[n]
		nd.count++
		t.extend(n, x)
		for j := range t.Radii {
			t.reach[int(n)*t.Radii+j] = farthest.Dist
		}
		if nd.left < 0 {
			break
		}
		l, r := &t.nodes[nd.left], &t.nodes[nd.left+1]
		child, sites := nd.left+1, r.count
		if v := x[nd.axis]; v < nd.split || v == nd.split && l.count < r.count {
			child, sites = nd.left, l.count
		}
		if rebuild < 0 && nd.count > 4*int32(t.bucket()) && float64(sites+1) > lopsided*float64(nd.count) {
			rebuild = n
		}
		n = child
	}
	leaf := &t.nodes[n]
	if rebuild < 0 && int(leaf.count) <= t.bucket() {
		_, end := t.slots(leaf)
		t.put(end-1, x, site)
		return
	}
	leaf.count-- // the new site is not in its slots
	if rebuild < 0 {
		rebuild = n
	}
	t.items.take(x, site)
	t.gather(rebuild)
	t.build(rebuild, 0, len(t.items.order))
	t.items.clear()
}

// extend makes the box of node n include x.
func (t *Index) extend(n int32, x []float64) {
	box := t.boxes[2*int(n)*t.Dim : 2*(int(n)+1)*t.Dim]
	for i, v := range x {
		if v < float64(box[2*i]) {
			box[2*i] = below(v)
		}
		if v > float64(box[2*i+1]) {
			box[2*i+1] = -below(-v)
		}
	}
}

// below returns the largest float32 that is not above v.
func below(v float64) float32 {
	f := float32(v)
	if float64(f) > v {
		f = math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return f
}

// put writes a site to a slot.
func (t *Index) put(slot int, x []float64, site int32) {
	copy(t.points[slot*t.Dim:], x)
	t.at[slot] = site
	t.slot[site] = int32(slot)
}

// newPair returns the first of two nodes, one behind the other, so that the
// boxes which a search compares share a line of the cache or two.
func (t *Index) newPair(parent int32) int32 {
	n := int32(len(t.nodes))
	if free := len(t.freePairs); free > 0 {
		n = t.freePairs[free-1]
		t.freePairs = t.freePairs[:free-1]
	} else {
		t.newNode()
		t.newNode()
	}
	t.nodes[n].parent, t.nodes[n+1].parent = parent, parent
	return n
}

func (t *Index) newNode() {
	t.nodes = append(t.nodes, node{})
	t.boxes = extended(t.boxes, 2*t.Dim)
	t.reach = extended(t.reach, t.Radii)
}

// newLeaf returns an empty leaf for node n.
func (t *Index) newLeaf(n int32) int32 {
	if free := len(t.freeLeaves); free > 0 {
		leaf := t.freeLeaves[free-1]
		t.freeLeaves = t.freeLeaves[:free-1]
		t.owner[leaf] = n
		return leaf
	}
	leaf := len(t.owner)
	t.owner = append(t.owner, n)
	t.at = extended(t.at, t.bucket())
	t.points = extended(t.points, t.bucket()*t.Dim)
	return int32(leaf)
}

// extended appends n zeros.
func extended[T any](x []T, n int) []T { return slices.Grow(x, n)[:len(x)+n] }

// gather takes the sites below node n and frees its leaves and the nodes below.
func (t *Index) gather(n int32) {
	nd := t.nodes[n]
	if nd.left < 0 {
		for i, to := t.slots(&nd); i < to; i++ {
			t.items.take(t.points[i*t.Dim:(i+1)*t.Dim], t.at[i])
		}
		t.freeLeaves = append(t.freeLeaves, nd.leaf)
		return
	}
	t.gather(nd.left)
	t.gather(nd.left + 1)
	t.freePairs = append(t.freePairs, nd.left)
}

// build makes node n the root of a tree of the items from–to. Halves differ by
// at most one site, unless cutting between two values of the axis, which keeps
// the boxes apart, gives each child its share cut.
func (t *Index) build(n int32, from, to int) {
	order := t.items.order[from:to]
	nd := node{parent: t.nodes[n].parent, count: int32(to - from), first: t.items.sites[order[0]]}
	box := t.boxes[2*int(n)*t.Dim : 2*(int(n)+1)*t.Dim]
	for i, v := range t.items.point(order[0], t.Dim) {
		box[2*i], box[2*i+1] = below(v), -below(-v)
	}
	for _, item := range order {
		nd.first = min(nd.first, t.items.sites[item])
		t.extend(n, t.items.point(item, t.Dim))
	}
	if len(order) <= t.bucket()*3/4 {
		nd.left, nd.leaf = -1, t.newLeaf(n)
		from, _ := t.slots(&nd)
		for i, item := range order {
			t.put(from+i, t.items.point(item, t.Dim), t.items.sites[item])
		}
		t.nodes[n] = nd
		t.updateReach(n)
		return
	}
	for i := range t.Dim {
		if box[2*i+1]-box[2*i] > box[2*nd.axis+1]-box[2*nd.axis] {
			nd.axis = int32(i)
		}
	}
	var half int
	half, nd.split = t.items.divide(order, int(nd.axis), t.Dim)
	nd.left = t.newPair(n)
	t.nodes[n] = nd
	t.build(nd.left, from, from+half)
	t.build(nd.left+1, from+half, to)
	t.updateReach(n)
}

// items are sites on their way into new leaves.
type items struct {
	points []float64 // items × Dim
	sites  []int32
	order  []int32 // item numbers, as build arranges them
}

func (m *items) take(x []float64, site int32) {
	m.order = append(m.order, int32(len(m.sites)))
	m.points = append(m.points, x...)
	m.sites = append(m.sites, site)
}

// clear forgets the items and, after a large rebuild, their memory.
func (m *items) clear() {
	if len(m.sites) > 1024 {
		*m = items{}
	}
	m.points, m.sites, m.order = m.points[:0], m.sites[:0], m.order[:0]
}

func (m *items) point(item int32, dim int) []float64 {
	return m.points[int(item)*dim : (int(item)+1)*dim]
}

func (m *items) coordinate(item int32, axis, dim int) float64 {
	return m.points[int(item)*dim+axis]
}

// divide arranges items by their coordinate at axis: those before the returned
// position are at most split, those from it on at least split.
func (m *items) divide(order []int32, axis, dim int) (half int, split float64) {
	half = len(order) / 2
	low, high := m.median(order, half, axis, dim)
	// The items low–high are all equal: cut before or after them if that is fair.
	least := int(cut * float64(len(order)))
	before, after := low >= least, high <= len(order)-least
	switch {
	case before && (!after || half-low <= high-half):
		half = low
	case after:
		half = high
	}
	left, right := math.Inf(-1), math.Inf(1)
	for _, item := range order[:half] {
		left = max(left, m.coordinate(item, axis, dim))
	}
	for _, item := range order[half:] {
		right = min(right, m.coordinate(item, axis, dim))
	}
	return half, max(left, min(left/2+right/2, right))
}

// median arranges items so that the one of rank half is in its place, and
// returns the range of the items that are equal to it: all before the range are
// smaller, all after it larger.
func (m *items) median(order []int32, half, axis, dim int) (low, high int) {
	from, to := 0, len(order)
	at := func(i int) float64 { return m.coordinate(order[i], axis, dim) }
	for {
		a, b, c := at(from), at(from+(to-from)/2), at(to-1)
		pivot := max(min(a, b), min(max(a, b), c))
		low, i := from, from
		for high = to; i < high; {
			switch v := at(i); {
			case v < pivot:
				order[low], order[i] = order[i], order[low]
				low++
				i++
			case v > pivot:
				high--
				order[high], order[i] = order[i], order[high]
			default:
				i++
			}
		}
		switch {
		case half < low:
			to = low
		case half >= high:
			from = high
		default:
			return low, high
		}
	}
}

// Reached appends to dst[:0] the sites whose radius number j, less that much, exceeds their
// distance from x, in an order that depends on nothing but the calls of Add and
// SetRadius: the reverse of a search for neighbours. It costs what a search
// costs, where the radii of neighbouring sites are alike.
func (t *Index) Reached(dst []Neighbor, x []float64, j int, less float64) []Neighbor {
	dst = dst[:0]
	if len(t.nodes) > 0 {
		dst = t.reached(dst, 0, x[:t.Dim], j, less)
	}
	return dst
}

func (t *Index) reached(dst []Neighbor, n int32, x []float64, j int, less float64) []Neighbor {
	if reach := t.reach[int(n)*t.Radii+j] - less; t.bound(n, x, reach) >= reach {
		return dst
	}
	nd := &t.nodes[n]
	if nd.left >= 0 {
		dst = t.reached(dst, nd.left, x, j, less)
		return t.reached(dst, nd.left+1, x, j, less)
	}
	for i, to := t.slots(nd); i < to; i++ {
		r := t.radius[int(t.at[i])*t.Radii+j] - less
		if d := t.within(t.points[i*t.Dim:(i+1)*t.Dim], x, r); d < r {
			dst = append(dst, Neighbor{t.at[i], d})
		}
	}
	return dst
}

// SetRadius sets radius number j of a site, which is infinite at first; a
// negative one keeps the site out of Reached with nothing less. It takes O(log n) time at most,
// and less where another site near by has a larger radius.
func (t *Index) SetRadius(site int32, j int, r float64) {
	t.radius[int(site)*t.Radii+j] = r
	n := t.owner[int(t.slot[site])/t.bucket()]
	for most := t.largest(n, j); t.reach[int(n)*t.Radii+j] != most; most = t.largest(n, j) {
		t.reach[int(n)*t.Radii+j] = most
		if n = t.nodes[n].parent; n < 0 {
			return
		}
	}
}

// updateReach finds the reach of node n from what is right below.
func (t *Index) updateReach(n int32) {
	for j := range t.Radii {
		t.reach[int(n)*t.Radii+j] = t.largest(n, j)
	}
}

// largest returns the largest radius j below node n, from what is right below.
func (t *Index) largest(n int32, j int) float64 {
	nd := &t.nodes[n]
	if nd.left >= 0 {
		return max(t.reach[int(nd.left)*t.Radii+j], t.reach[int(nd.left+1)*t.Radii+j])
	}
	most := math.Inf(-1)
	from, to := t.slots(nd)
	for _, site := range t.at[from:to] {
		most = max(most, t.radius[int(site)*t.Radii+j])
	}
	return most
}

// Renumber gives the sites new numbers, in the order of the tree, in which sites
// that are close to each other in space have numbers that are close, and returns
// the old number of each. What is kept by site can then be arranged so that a
// neighbourhood is together in memory. Ties are decided by the new numbers.
func (t *Index) Renumber() (old []int32) {
	n := t.Sites()
	old = make([]int32, 0, n)
	if n > 0 {
		old = t.renumber(0, old)
	}
	ids, radius := make([][]int32, n, n+n/4), make([]float64, 0, len(t.radius)+len(t.radius)/4)
	for site, o := range old {
		ids[site] = t.ids[o]
		radius = append(radius, t.radius[int(o)*t.Radii:(int(o)+1)*t.Radii]...)
	}
	t.ids, t.radius = ids, radius
	return old
}

// renumber numbers the sites below node n from len(old) on.
func (t *Index) renumber(n int32, old []int32) []int32 {
	nd := &t.nodes[n]
	nd.first = int32(len(old))
	if nd.left >= 0 {
		return t.renumber(nd.left+1, t.renumber(nd.left, old))
	}
	for i, to := t.slots(nd); i < to; i++ {
		site := int32(len(old))
		old = append(old, t.at[i])
		t.at[i], t.slot[site] = site, int32(i)
	}
	return old
}
