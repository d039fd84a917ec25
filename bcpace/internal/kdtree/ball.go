package kdtree

import (
	"context"
	"slices"
)

// Ball is a search for the points of a tree within a distance of one.
type Ball struct {
	*Tree
	Limit float64 // the key of the distance
	x     []float64
	kind  int32
	Found func(slot int, key float64)
}

// Around looks for the points around x, of that kind.
func (b *Ball) Around(x []float64, kind int32) {
	b.x, b.kind = x, kind
	b.visit(0)
}

func (b *Ball) visit(node int) {
	if b.outside(node, b.x, b.kind) > b.Limit {
		return
	}
	nd := &b.nodes[node]
	if nd.right > 0 {
		b.visit(node + 1)
		b.visit(int(nd.right))
		return
	}
	var keys [leafSlots]float64
	b.keys(keys[:nd.to-nd.from], nd, b.x, b.kind)
	for i, key := range keys[:nd.to-nd.from] {
		if key <= b.Limit {
			b.Found(int(nd.from)+i, key)
		}
	}
}

// Net returns the greedy net of the points in that order for an ε that rounding is in, and by slot the
// place in it of the first of its points that is near.
func (t *Tree) Net(ctx context.Context, epsilon float64, order []int32) (net []int, owner []int32, err error) {
	owner = slices.Repeat([]int32{-1}, len(t.At))
	b := Ball{Tree: t, Limit: t.norm.Key(epsilon)}
	b.Found = func(slot int, _ float64) {
		if owner[slot] < 0 {
			owner[slot] = int32(len(net))
		}
	}
	for k, i := range order {
		if k%4096 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if s := int(t.Slot[i]); owner[s] < 0 {
			b.Around(t.Point(s), t.Kind(s))
			net = append(net, int(i))
		}
	}
	return net, owner, nil
}

// shells is into how many levels, by their distance from the middle, points are sorted.
const shells = 1 << 12

// FromOutside returns the slots from the farthest from the middle of all to the nearest.
func (t *Tree) FromOutside() []int32 {
	middle, most := make([]float64, t.dim), 0.0
	for c := range middle {
		middle[c] = t.boxes[2*c] + (t.boxes[2*c+1]-t.boxes[2*c])/2
	}
	key := func(s int) float64 { return t.norm.Between(t.Point(s), middle, nil) }
	for s := range t.At {
		most = max(most, key(s))
	}
	level := func(s int) int {
		if most == 0 {
			return 0
		}
		return int((1 - key(s)/most) * (shells - 1))
	}
	var begin [shells + 1]int32
	for s := range t.At {
		begin[level(s)+1]++
	}
	for k := range shells {
		begin[k+1] += begin[k]
	}
	order := make([]int32, len(t.At))
	for s := range t.At {
		k := level(s)
		order[begin[k]] = int32(s)
		begin[k]++
	}
	return order
}
