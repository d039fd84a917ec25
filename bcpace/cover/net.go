package cover

import (
	"cmp"
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
	list := upTo[int32](p.Len())
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

// Radius returns the least radius at which the points of a cover hold all of p within it, and the point of p that is so far
// from them: +Inf where the cover has none of its kind, 0 and −1 where p is empty. Both must have the same coordinates, norm
// and periods, and any points: what a model reaches, and what a run has visited of it. The error is an *bcpace.InputError
// for points that cannot be used; or the context's.
func Radius(ctx context.Context, p, cover *Points) (radius float64, farthest int, err error) {
	farthest = -1
	if err := cmp.Or(p.ready(), cover.ready()); err != nil || p.Len() == 0 {
		return 0, farthest, err
	}
	if cover.Len() > 0 && (cover.Dim != p.Dim || cover.Norm != p.Norm || !slices.Equal(cover.Periods, p.Periods)) {
		return 0, farthest, bcpace.In("cover").Bad("the cover", fmt.Sprintf("of %d coordinates under %v, with periods %v", cover.Dim, cover.Norm, cover.Periods),
			fmt.Sprintf("%d under %v, with periods %v, as the points have", p.Dim, p.Norm, p.Periods))
	}
	t, err := cover.tree(ctx)
	if err != nil {
		return 0, farthest, err
	}
	most := -1.0 // its key
	for i := range p.Len() {
		if i%4096 == 0 && ctx.Err() != nil {
			return 0, -1, ctx.Err()
		}
		if _, key := t.Nearest(p.At(i), p.kind(i), math.Inf(1)); key > most {
			most, farthest = key, i
		}
	}
	return p.Norm.Distance(most), farthest, nil
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
func upTo[T int | int32](n int) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = T(i)
	}
	return list
}

// shuffled is random order number k of n things.
func shuffled[T int | int32](n int, seed uint64, k int) []T {
	list := upTo[T](n)
	rand.New(rand.NewPCG(seed, uint64(k))).Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
