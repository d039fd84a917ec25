package kdtree

import (
	"math"
	"slices"
)

// Farthest knows how far points are from those taken.
type Farthest struct {
	*Tree
	near  []float64 // by slot: the key of the distance to the nearest point taken
	most  []float64 // by node: the largest near below
	point []int32   // by node: the point that has it
	x     []float64 // what is taken now
	kind  int32
}

// NewFarthest returns one that has taken no point.
func NewFarthest(t *Tree) *Farthest {
	f := &Farthest{Tree: t, near: slices.Repeat([]float64{math.Inf(1)}, len(t.At)),
		most: slices.Repeat([]float64{math.Inf(1)}, len(t.nodes)), point: make([]int32, len(t.nodes))}
	for node := len(t.nodes) - 1; node >= 0; node-- {
		if nd := &t.nodes[node]; nd.right == 0 {
			f.point[node] = slices.Min(t.At[nd.from:nd.to])
		} else {
			f.point[node] = min(f.point[node+1], f.point[nd.right])
		}
	}
	return f
}

// Take adds a point to those taken and returns the farthest one then, with its distance.
func (f *Farthest) Take(center int) (next int, rest float64, err error) {
	s := int(f.Slot[center])
	f.x, f.kind = f.Tree.Point(s), f.Tree.Kind(s)
	f.lower(0)
	return int(f.point[0]), f.norm.Distance(f.most[0]), nil
}

// lower visits the points of a node that may be nearer to x.
func (f *Farthest) lower(node int) {
	if f.outside(node, f.x, f.kind) >= f.most[node] {
		return
	}
	nd := &f.nodes[node]
	if nd.right == 0 {
		f.scan(node, nd)
		return
	}
	left, right := node+1, int(nd.right)
	f.lower(left)
	f.lower(right)
	if f.most[right] > f.most[left] || f.most[right] == f.most[left] && f.point[right] < f.point[left] {
		left = right
	}
	f.most[node], f.point[node] = f.most[left], f.point[left]
}

// scan is lower for a leaf.
func (f *Farthest) scan(node int, nd *treeNode) {
	var keys [leafSlots]float64
	f.keys(keys[:nd.to-nd.from], nd, f.x, f.kind)
	most, point := -1.0, int32(0)
	for s := nd.from; s < nd.to; s++ {
		key := min(f.near[s], keys[s-nd.from])
		f.near[s] = key
		if key > most || key == most && f.At[s] < point {
			most, point = key, f.At[s]
		}
	}
	f.most[node], f.point[node] = most, point
}
