// Package kdtree has a k-d tree of points that do not change, under three norms: what is near them, nets and
// farthest-first orders of them, how they are covered, and the volume around them.
package kdtree

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"sync"
)

// Tree is a k-d tree of points. It keeps them in the order of its leaves, so that what is near in
// space is near in memory: a slot is a place in that order.
type Tree struct {
	dim     int
	norm    Norm
	periods []float64
	At      []int32   // by slot: the point's number
	Slot    []int32   // by point: its slot
	coords  []float64 // slots × dim
	kinds   []int32   // by slot; nil where there is one kind
	nodes   []treeNode
	boxes   []float64 // nodes × dim × (low, high)
}

// treeNode is a node of a tree. Its left child, if any, comes behind it.
type treeNode struct {
	from, to    int32 // its slots
	right       int32 // the right child; 0 in a leaf
	first, last int32 // the least and the largest kind
}

// leafSlots is how many points a leaf holds: few enough that a search in low dimensions looks
// at few others.
const leafSlots = 16

// New returns the tree of the points with those coordinates, dim for each, and those kinds, between which distances are
// infinite; nil for one kind. periods has, for each of the first coordinates, the length after which it comes again, 0
// where it has ends. The error is the context's.
func New(ctx context.Context, norm Norm, dim int, coords, periods []float64, kinds []int32) (*Tree, error) {
	n := 0
	if dim > 0 {
		n = len(coords) / dim
	}
	t := &Tree{dim: dim, norm: norm, periods: periods, At: make([]int32, n), Slot: make([]int32, n)}
	for i := range t.At {
		t.At[i] = int32(i)
	}
	if kinds == nil {
		t.coords = slices.Clone(coords)
	} else {
		// Slots are in the order of their kinds before they are split, so that halves have few kinds each.
		slices.SortStableFunc(t.At, func(i, j int32) int { return cmp.Compare(kinds[i], kinds[j]) })
		for _, i := range t.At {
			t.coords = append(t.coords, coords[int(i)*dim:(int(i)+1)*dim]...)
			t.kinds = append(t.kinds, kinds[i])
		}
	}
	if n > 0 {
		t.nodes = make([]treeNode, nodesOf(n))
		t.boxes = make([]float64, len(t.nodes)*2*t.dim)
		t.build(ctx, 0, 0, n, bits.Len(uint(parallelParts)))
	}
	for s, i := range t.At {
		t.Slot[i] = int32(s)
	}
	return t, ctx.Err()
}

// parallelParts is into how many parts a tree falls that are built at the same time.
const parallelParts = 16

// leftOf returns how many of n points go to the left: those of the largest full tree that leaves
// some to the right.
func leftOf(n int) int {
	return leafSlots << (bits.Len(uint((n-1)/leafSlots)) - 1)
}

// nodesOf returns how many nodes a tree of n points has.
func nodesOf(n int) int { return 2*((n+leafSlots-1)/leafSlots) - 1 }

// build makes the node and what is below it, of those slots. It leaves the tree as it is where the context has ended.
func (t *Tree) build(ctx context.Context, node, from, to, parallel int) {
	if to-from > 1<<12 && ctx.Err() != nil {
		return
	}
	nd := &t.nodes[node]
	nd.from, nd.to = int32(from), int32(to)
	box := t.box(node)
	copy2(box, t.coords[from*t.dim:(from+1)*t.dim])
	for s := from + 1; s < to; s++ {
		for c, v := range t.Point(s) {
			box[2*c], box[2*c+1] = min(box[2*c], v), max(box[2*c+1], v)
		}
	}
	if t.kinds != nil {
		nd.first, nd.last = t.kinds[from], t.kinds[to-1]
	}
	if to-from <= leafSlots {
		return
	}
	left := leftOf(to - from)
	if nd.first == nd.last {
		t.split(from, to, from+left, longest(box))
	}
	next := node + 1 + nodesOf(left)
	nd.right = int32(next)
	if parallel == 0 || to-from < 1<<14 {
		t.build(ctx, node+1, from, from+left, 0)
		t.build(ctx, next, from+left, to, 0)
		return
	}
	var both sync.WaitGroup
	both.Go(func() { t.build(ctx, node+1, from, from+left, parallel-1) })
	t.build(ctx, next, from+left, to, parallel-1)
	both.Wait()
}

// copy2 makes the box of one point.
func copy2(box, x []float64) {
	for c, v := range x {
		box[2*c], box[2*c+1] = v, v
	}
}

// longest returns the axis of a box's longest side.
func longest(box []float64) int {
	axis := 0
	for c := range len(box) / 2 {
		if box[2*c+1]-box[2*c] > box[2*axis+1]-box[2*axis] {
			axis = c
		}
	}
	return axis
}

// split puts slots of one kind from…to into an order in which those before middle are not above the others on the
// axis (Hoare's quickselect).
func (t *Tree) split(from, to, middle, axis int) {
	dim, coords := t.dim, t.coords
	at := func(s int) float64 { return coords[s*dim+axis] }
	for to-from > 1 {
		a, b, c := at(from), at((from+to)/2), at(to-1)
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := from, to-1
		for i <= j {
			for coords[i*dim+axis] < pivot {
				i++
			}
			for pivot < coords[j*dim+axis] {
				j--
			}
			if i <= j {
				t.At[i], t.At[j] = t.At[j], t.At[i]
				for c := range dim {
					coords[i*dim+c], coords[j*dim+c] = coords[j*dim+c], coords[i*dim+c]
				}
				i++
				j--
			}
		}
		switch {
		case middle <= j:
			to = j + 1
		case middle >= i:
			from = i
		default:
			return
		}
	}
}

// Point returns the coordinates at a slot, a view.
func (t *Tree) Point(s int) []float64 { return t.coords[s*t.dim : (s+1)*t.dim : (s+1)*t.dim] }

// Kind returns the kind at a slot.
func (t *Tree) Kind(s int) int32 {
	if t.kinds == nil {
		return 0
	}
	return t.kinds[s]
}

// box returns the box of a node, low and high of each axis in turn.
func (t *Tree) box(node int) []float64 {
	k := 2 * t.dim
	return t.boxes[node*k : (node+1)*k : (node+1)*k]
}

// outside returns the key of a distance that is at most that of x to any point of a node, also
// in the last bit, as rounding is monotone; +Inf where none has the kind.
func (t *Tree) outside(node int, x []float64, kind int32) float64 {
	nd := &t.nodes[node]
	if kind < nd.first || kind > nd.last {
		return math.Inf(1)
	}
	key, box := 0.0, t.box(node)
	if t.periods == nil {
		for c, v := range x {
			key = t.norm.add(key, max(box[2*c]-v, v-box[2*c+1], 0))
		}
		return key
	}
	for c, v := range x {
		key = t.norm.add(key, between(v, v, box[2*c], box[2*c+1], t.period(c)))
	}
	return key
}

// keys writes the keys of the distances of x and the points of a leaf.
func (t *Tree) keys(dst []float64, leaf *treeNode, x []float64, kind int32) {
	t.norm.keys(dst, t.coords[int(leaf.from)*t.dim:int(leaf.to)*t.dim], x, t.periods)
	if leaf.first != leaf.last {
		for i, k := range t.kinds[leaf.from:leaf.to] {
			if k != kind {
				dst[i] = math.Inf(1)
			}
		}
	}
}

// inside reports whether all points of a node are within a distance of x, by its key; it may say
// no where rounding or a period leaves doubt.
func (t *Tree) inside(node int, x []float64, kind int32, limit float64) bool {
	nd := &t.nodes[node]
	if kind != nd.first || kind != nd.last {
		return false
	}
	key, box := 0.0, t.box(node)
	for c, v := range x {
		key = t.norm.add(key, max(v-box[2*c], box[2*c+1]-v))
	}
	return key <= limit
}

// period returns the period of an axis, 0 where it has ends.
func (t *Tree) period(axis int) float64 {
	if axis < len(t.periods) {
		return t.periods[axis]
	}
	return 0
}

// between returns how far the intervals from a to b and from c to d are apart, the shorter way round
// where there is a period.
func between(a, b, c, d, period float64) float64 {
	gap := max(c-b, a-d, 0)
	if period > 0 && gap > 0 {
		gap = max(0, min(gap, period-(max(b, d)-min(a, c))))
	}
	return gap
}

// apart returns the key of a distance that is at most that of any point of one box to any of
// another, also in the last bit.
func (t *Tree) apart(box, other []float64) float64 {
	key := 0.0
	for c := range t.dim {
		key = t.norm.add(key, between(box[2*c], box[2*c+1], other[2*c], other[2*c+1], t.period(c)))
	}
	return key
}

// Nearest returns the slot of a point nearest to x, among those of its kind with a key of their distance below that limit,
// and this key; −1 and the limit where there is none.
func (t *Tree) Nearest(x []float64, kind int32, limit float64) (slot int, key float64) {
	slot = -1
	if len(t.nodes) > 0 && t.outside(0, x, kind) < limit {
		t.nearestIn(0, x, kind, &slot, &limit)
	}
	return slot, limit
}

func (t *Tree) nearestIn(node int, x []float64, kind int32, slot *int, limit *float64) {
	nd := &t.nodes[node]
	if nd.right > 0 {
		first, second := node+1, int(nd.right)
		near, far := t.outside(first, x, kind), t.outside(second, x, kind)
		if far < near {
			first, second, near, far = second, first, far, near
		}
		if near < *limit {
			t.nearestIn(first, x, kind, slot, limit)
		}
		if far < *limit {
			t.nearestIn(second, x, kind, slot, limit)
		}
		return
	}
	var keys [leafSlots]float64
	t.keys(keys[:nd.to-nd.from], nd, x, kind)
	for i, key := range keys[:nd.to-nd.from] {
		if key < *limit {
			*slot, *limit = int(nd.from)+i, key
		}
	}
}

// Half is a radius of balls whose points are within ε of each other, rounding included: of
// differences, whose errors are a share of them, and of what is left of a period.
func Half(epsilon float64, periods []float64) float64 {
	radius := epsilon / 2 * (1 - 1e-12)
	for _, period := range periods {
		radius -= 0x1p-50 * period
	}
	return radius
}

// Twice is a distance such that no point is within ε of two points that are farther apart, rounding
// included as in Half.
func Twice(epsilon float64, periods []float64) float64 {
	distance := 2 * epsilon * (1 + 1e-12)
	for _, period := range periods {
		distance += 0x1p-49 * period
	}
	return distance
}
