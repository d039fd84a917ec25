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
// dimensions it takes O(log² n) time for each point.
//
// The error is an *bcpace.InputError for points, an ε or an order that cannot be
// used, or for coordinates above 2¹⁰⁰·ε; or the context's.
//
// A distance that is ε in decimals is no farther, however it is rounded: points are
// told apart at ε + 2⁻⁵³·(4·Σ|x_i| + (n + 4)·ε), for n coordinates and the largest
// sum of a point; so do NewGraph, Number and Traversal. ε = 0 stands for itself.
func Net(ctx context.Context, p *Points, epsilon float64, order []int) ([]int, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := checkEpsilon(epsilon); err != nil {
		return nil, err
	}
	return p.net(ctx, p.rounded(epsilon), order)
}

// rounded returns ε with what rounding may add to a distance of ε.
func (p *Points) rounded(epsilon float64) float64 {
	return roundedUp(epsilon, p.size(), p.Dim)
}

// roundedUp is rounded for points of n coordinates whose sizes sum to at most size.
func roundedUp(epsilon, size float64, n int) float64 {
	return epsilon + knn.Rounding(size, epsilon, n)
}

// size returns the largest sum of the sizes of a point's coordinates.
func (p *Points) size() float64 {
	size := 0.0
	for i := range p.Len() {
		size = max(size, knn.Size(p.At(i)))
	}
	return size
}

// net is Net for an ε that rounding is in.
func (p *Points) net(ctx context.Context, epsilon float64, order []int) ([]int, error) {
	if order == nil {
		order = num.UpTo(p.Len())
	}
	if err := checkOrder(order, p.Len()); err != nil {
		return nil, err
	}
	if epsilon == 0 {
		// The first of equal points in the order of the net.
		q := p.Pick(order).Distinct()
		for k, i := range q {
			q[k] = order[i]
		}
		return q, nil
	}
	// The index takes points within 1e-9 for one. In units of a power of two near ε,
	// which changes no digit of a distance, centres are more than 1 apart.
	_, exponent := math.Frexp(epsilon)
	unit := math.Ldexp(1, 1-exponent)
	for i, x := range p.Coords {
		if !(math.Abs(x*unit) <= 1<<100) {
			return nil, bcpace.In("cover").Bad(fmt.Sprintf("coordinate %d of point %d", i%p.Dim, i/p.Dim), x, fmt.Sprintf("at most 2^100·ε in size, with ε = %v; give a larger ε", epsilon))
		}
	}
	index, periods := make(map[int32]*knn.Index), p.periodsIn(unit)
	x, near := make([]float64, p.Dim), make([]knn.Neighbor, 0, 2)
	var net []int
	for k, i := range order {
		if k%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for c, v := range p.At(i) {
			x[c] = v * unit
		}
		t := index[p.kind(i)]
		if t == nil {
			t = &knn.Index{Dim: p.Dim, Periods: periods}
			index[p.kind(i)] = t
		}
		if near = t.Nearest(near, x, 1); len(near) == 0 || near[0].Dist > epsilon*unit {
			t.Add(x, int32(len(net)))
			net = append(net, i)
		}
	}
	return net, nil
}

// periodsIn returns the periods of the coordinates times unit.
func (p *Points) periodsIn(unit float64) []float64 {
	periods := slices.Clone(p.Periods)
	for i := range periods {
		periods[i] *= unit
	}
	return periods
}

// checkOrder returns an *bcpace.InputError unless order has each of 0 … n−1 once.
func checkOrder(order []int, n int) error {
	seen := make([]bool, n)
	for _, i := range order {
		if i < 0 || i >= n || seen[i] {
			return bcpace.In("cover").Bad("order", fmt.Sprintf("%d, twice or out of range", i), fmt.Sprintf("each of 0 to %d once", n-1))
		}
		seen[i] = true
	}
	if len(order) != n {
		return bcpace.In("cover").Bad("order", fmt.Sprintf("%d long", len(order)), fmt.Sprint(n))
	}
	return nil
}

// shuffled is random order number k of n things.
func shuffled(n int, seed uint64, k int) []int {
	return rand.New(rand.NewPCG(seed, uint64(k))).Perm(n)
}

// nearest returns for each point the number of the nearest centre, which must be
// within radius·(1 + 1e-9).
func (p *Points) nearest(ctx context.Context, centers *Points, radius float64) ([]int, error) {
	unit := 1.0
	if radius > 0 {
		_, exponent := math.Frexp(radius)
		unit = math.Ldexp(1, 1-exponent)
	}
	index, periods := make(map[int32]*knn.Index), p.periodsIn(unit)
	x, near := make([]float64, p.Dim), make([]knn.Neighbor, 0, 2)
	load := func(q *Points, i int) *knn.Index {
		for c, v := range q.At(i) {
			x[c] = v * unit
		}
		t := index[q.kind(i)]
		if t == nil {
			t = &knn.Index{Dim: q.Dim, Periods: periods}
			index[q.kind(i)] = t
		}
		return t
	}
	for i := range centers.Len() {
		load(centers, i).Add(x, int32(i))
	}
	owner := make([]int, p.Len())
	for i := range owner {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t := load(p, i)
		near = t.Nearest(near, x, 1)
		owner[i] = int(t.Samples(near[0].Site)[0])
	}
	return owner, nil
}
