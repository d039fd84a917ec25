package cover

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/knn"
	"bayescpace/bcpace/internal/num"
)

// Net returns a greedy ε-net of p: the points, in the given order or, if it is nil,
// in their own, that are farther than epsilon ≥ 0 from all taken before. It is an
// ε-cover and ε-separated, and so a minimal cover of a size between i and α. In low
// dimensions it takes O(log n) time for each point.
//
// The error is an *bcpace.InputError for points, an ε or an order that cannot be
// used; or the context's.
//
// A distance that is ε in decimals is no farther, however it is rounded: points are
// told apart at ε + 2⁻⁵³·(4·Σ|x_i| + (n + 4)·ε), for n coordinates and the largest
// sum of a point; so do NewGraph, Number and Traversal. ε = 0 stands for itself.
func Net(ctx context.Context, p *Points, epsilon float64, order []int) ([]int, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := p.checkEpsilon(epsilon); err != nil {
		return nil, err
	}
	if order == nil {
		order = num.UpTo(p.Len())
	} else if err := checkOrder(order, p.Len()); err != nil {
		return nil, err
	}
	net, _, err := newTree(p).net(ctx, p.rounded(epsilon), order)
	return net, err
}

// rounded returns ε with what rounding may add to a distance of ε.
func (p *Points) rounded(epsilon float64) float64 {
	return epsilon + knn.Rounding(p.size(), epsilon, p.Dim)
}

// size returns the largest sum of the sizes of a point's coordinates.
func (p *Points) size() float64 {
	size := 0.0
	for i := range p.Len() {
		size = max(size, knn.Size(p.At(i)))
	}
	return size
}

// ball is a search for the points of a tree within a distance of one.
type ball struct {
	*tree
	limit float64 // the key of the distance
	x     []float64
	kind  int32
	found func(slot int, key float64)
}

// around looks for the points around that at a slot.
func (b *ball) around(slot int) {
	b.x, b.kind = b.tree.point(slot), b.tree.kind(slot)
	b.visit(0)
}

func (b *ball) visit(node int) {
	if b.outside(node, b.x, b.kind) > b.limit {
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
		if key <= b.limit {
			b.found(int(nd.from)+i, key)
		}
	}
}

// net returns the net of the points in that order for an ε that rounding is in, and by slot the
// place in it of the nearest point of the net, the first of equally near ones.
func (t *tree) net(ctx context.Context, epsilon float64, order []int) (net []int, owner []int32, err error) {
	near := slices.Repeat([]float64{math.Inf(1)}, len(t.at))
	owner = make([]int32, len(t.at))
	slots := t.slots()
	b := ball{tree: t, limit: t.norm.key(epsilon)}
	b.found = func(slot int, key float64) {
		if key < near[slot] {
			near[slot], owner[slot] = key, int32(len(net))
		}
	}
	for k, i := range order {
		if k%4096 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if s := int(slots[i]); math.IsInf(near[s], 1) {
			b.around(s)
			net = append(net, i)
		}
	}
	return net, owner, nil
}

// slots returns by point its slot.
func (t *tree) slots() []int32 {
	slots := make([]int32, len(t.at))
	for s, i := range t.at {
		slots[i] = int32(s)
	}
	return slots
}

// checkOrder returns an *bcpace.InputError unless order has each of 0 … n−1 once.
func checkOrder(order []int, n int) error {
	if !slices.Equal(slices.Sorted(slices.Values(order)), num.UpTo(n)) {
		return bcpace.In("cover").Bad("order", fmt.Sprintf("%d numbers", len(order)), fmt.Sprintf("each of 0 to %d once", n-1))
	}
	return nil
}

// shuffled is random order number k of n things.
func shuffled(n int, seed uint64, k int) []int {
	return rand.New(rand.NewPCG(seed, uint64(k))).Perm(n)
}
