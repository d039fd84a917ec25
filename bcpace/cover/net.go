package cover

import (
	"context"
	"fmt"
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
// A distance that is ε in decimals is no farther, however it is rounded, while coordinates are below 10⁹·ε: points are
// told apart at ε + 2⁻⁵³·(4·Σ|x_i| + (n + 4)·ε), for n coordinates and the largest
// sum of a point; at most a millionth of ε (2⁻²⁰);
// so do NewGraph, Number and Traversal. ε = 0 stands for itself, and under L2 no other ε is below 10⁻¹⁵⁰.
func Net(ctx context.Context, p *Points, epsilon float64, order []int) ([]int, error) {
	if err := p.ready(); err != nil {
		return nil, err
	}
	if err := p.checkEpsilon(epsilon); err != nil {
		return nil, err
	}
	list := upTo(p.Len())
	if order != nil {
		if err := checkOrder(order, p.Len()); err != nil {
			return nil, err
		}
		for k, i := range order {
			list[k] = int32(i)
		}
	}
	t, err := p.tree(ctx)
	if err != nil {
		return nil, err
	}
	net, _, err := t.Net(ctx, p.rounded(epsilon), list)
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

// checkOrder returns an *bcpace.InputError unless order has each of 0 … n−1 once.
func checkOrder(order []int, n int) error {
	if !slices.Equal(slices.Sorted(slices.Values(order)), num.UpTo(n)) {
		return bcpace.In("cover").Bad("order", fmt.Sprintf("%d numbers", len(order)), fmt.Sprintf("each of 0 to %d once", n-1))
	}
	return nil
}

// upTo returns 0 … n−1.
func upTo(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// shuffled is random order number k of n things.
func shuffled[T int | int32](n int, seed uint64, k int) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = T(i)
	}
	rand.New(rand.NewPCG(seed, uint64(k))).Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
