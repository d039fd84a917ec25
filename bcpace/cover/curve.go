package cover

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/knn"
	"bayescpace/bcpace/internal/num"
)

// Curve is how large covers are at a range of ε. All its numbers come from one
// farthest-first order.
type Curve struct {
	// Points is the size of the set.
	Points int
	// Epsilon are the distances, falling; the other slices have an entry for each.
	Epsilon []float64
	// Net is the size of the farthest-first net: a minimal cover, from i to α, and so
	// a lower bound of Γ.
	Net []int
	// Most is the size of the net at ½ε, an upper bound of α wherever the distance
	// obeys the triangle inequality, as that of Points does; -1 where the order was
	// too short for it.
	Most []int
}

// CurveOptions of NewCurve. Every zero value is useful.
type CurveOptions struct {
	// MaxOrder ends the farthest-first order at that many points, and with it the
	// curve: ε below which more would be needed are left out. 0 means no limit.
	MaxOrder int
}

// Decades returns n ≥ 2 distances that fall from high to low in equal ratios.
func Decades(high, low float64, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = high * math.Pow(low/high, float64(i)/float64(n-1))
	}
	return list
}

// NewCurve returns the sizes of covers of s at those epsilons > 0, which must fall.
// The error is an *bcpace.InputError for what cannot be used, or the context's.
func NewCurve(ctx context.Context, s Space, epsilons []float64, o CurveOptions) (*Curve, error) {
	for i, e := range epsilons {
		if !(e > 0) || math.IsInf(e, 1) || i > 0 && e >= epsilons[i-1] {
			return nil, bcpace.In("cover").Bad(fmt.Sprintf("epsilon %d", i), e, "finite distances above 0 that fall")
		}
	}
	if len(epsilons) == 0 {
		return nil, bcpace.In("cover").Bad("epsilons", "none", "one at least")
	}
	t, err := FarthestFirst(ctx, s, TraversalOptions{MaxOrder: o.MaxOrder, Radius: half(epsilons[len(epsilons)-1])})
	if err != nil {
		return nil, err
	}
	c := &Curve{Points: t.Points}
	for _, e := range epsilons {
		if n := t.Size(e); n >= 0 {
			c.Epsilon, c.Net, c.Most = append(c.Epsilon, e), append(c.Net, n), append(c.Most, t.within(half(t.rounded(e))))
		}
	}
	return c, nil
}

// half is a radius of balls whose points are within ε of each other, rounding
// included.
func half(epsilon float64) float64 { return epsilon / 2 * (1 - 1e-12) }

// Dimension is a fit of N(ε) ≈ C·ε^−d by a line through log N against log 1/ε.
type Dimension struct {
	// Slope is d, the covering dimension at the scales of the fit.
	Slope float64
	// Low and High are the least and the largest slope of fits to half of the entries,
	// next to each other: between them lies what the choice of scales does to the
	// slope. There is no random error to allow for, as the set and its nets are given,
	// and none is claimed for scales below the fit's.
	Low, High float64
	// Intercept is log C.
	Intercept float64
	// From and To are the entries of the curve that took part: From to To−1.
	From, To int
}

// fewest points of a fit, and the sizes between which a curve is not yet at its ends:
// a cover of fewer than three points says nothing of the set, and one of most of a
// finite set no more than that the set is finite.
const (
	fewestFit   = 6
	smallestFit = 3
	largestFit  = 0.5
)

// Dimension fits the sizes of the nets. Entries with nets of fewer than 3 points or
// more than half the set are left out. The error is an *bcpace.InputError where fewer
// than 6 are left.
func (c *Curve) Dimension() (Dimension, error) {
	d := Dimension{To: len(c.Net)}
	for d.From < d.To && c.Net[d.From] < smallestFit {
		d.From++
	}
	for d.To > d.From && float64(c.Net[d.To-1]) > largestFit*float64(c.Points) {
		d.To--
	}
	n := float64(d.To - d.From)
	if n < fewestFit {
		return Dimension{}, bcpace.In("covering dimension").Bad("the curve", fmt.Sprintf("%v sizes from 3 to half the set of %d points", n, c.Points),
			"at least 6: more points, or more distances between those where the cover is tiny and where it is everything")
	}
	d.Slope, d.Intercept = c.fit(d.From, d.To)
	d.Low, d.High = d.Slope, d.Slope
	for window, from := (d.To-d.From+1)/2, d.From; from+window <= d.To; from++ {
		slope, _ := c.fit(from, from+window)
		d.Low, d.High = min(d.Low, slope), max(d.High, slope)
	}
	return d, nil
}

// fit is the least-squares line through log N against log 1/ε of those entries.
func (c *Curve) fit(from, to int) (slope, intercept float64) {
	n := float64(to - from)
	var mx, my, sxx, sxy float64
	at := func(i int) (x, y float64) { return -math.Log(c.Epsilon[i]), math.Log(float64(c.Net[i])) }
	for i := from; i < to; i++ {
		x, y := at(i)
		mx, my = mx+x/n, my+y/n
	}
	for i := from; i < to; i++ {
		x, y := at(i)
		sxx, sxy = sxx+(x-mx)*(x-mx), sxy+(x-mx)*(y-my)
	}
	slope = sxy / sxx
	return slope, my - slope*mx
}

// Traversal is a farthest-first order of points (Gonzalez 1985): each is the one
// farthest from those before it. Its prefixes are nets for all ε at once.
type Traversal struct {
	// Order lists points by their number, and Radius how far each was from those
	// before it: +Inf for the first, and never rising.
	Order  []int
	Radius []float64
	// Rest is how far the farthest point is from all of Order: 0 where every point
	// is in it or equals one that is.
	Rest float64
	// Points is the size of the set.
	Points int

	size float64 // of *Points: the largest sum of the sizes of a point's coordinates
	dim  int     // and their number; 0 for another space
}

// TraversalOptions of FarthestFirst. Every zero value is useful.
type TraversalOptions struct {
	// First is the point to begin with.
	First int
	// MaxOrder ends the order at that many points. 0 means no limit.
	MaxOrder int
	// Radius ends it where all points are within it.
	Radius float64
}

// FarthestFirst orders the points of s, from the first on and among equally far ones
// by their number, until all are within o.Radius of one of the order. It takes time
// in proportion to Len times the length of the order. The error is an
// *bcpace.InputError for options or points that cannot be used; where the context
// ends it, the order so far comes with the context's error.
func FarthestFirst(ctx context.Context, s Space, o TraversalOptions) (*Traversal, error) {
	n := s.Len()
	p, flat := s.(*Points)
	if flat {
		if err := p.Validate(); err != nil {
			return nil, err
		}
		n = p.Len()
	}
	if err := checkEpsilon(o.Radius); err != nil {
		return nil, err
	}
	if o.MaxOrder < 0 || o.First < 0 || n > 0 && o.First >= n {
		return nil, bcpace.In("cover").Bad("First, MaxOrder", fmt.Sprintf("%d, %d", o.First, o.MaxOrder), fmt.Sprintf("a point from 0 to %d, and a length or 0 for no limit", n-1))
	}
	t := &Traversal{Points: n}
	if n == 0 {
		return t, nil
	}
	if flat {
		t.size, t.dim = p.size(), p.Dim
	}
	dist := slices.Repeat([]float64{math.Inf(1)}, n)
	at := o.First
	for t.Rest = math.Inf(1); t.Rest > o.Radius && (o.MaxOrder == 0 || len(t.Order) < o.MaxOrder); {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		t.Order, t.Radius = append(t.Order, at), append(t.Radius, t.Rest)
		center, next := at, -1
		for i, d := range dist {
			// A point at 0 cannot come nearer.
			if d > 0 {
				e := 0.0
				if flat && p.Kind == nil {
					e = knn.PeriodicDistance(p.At(i), p.At(center), p.Periods)
				} else if e = s.Distance(i, center); !(e >= 0) {
					return nil, bcpace.In("cover").Bad(fmt.Sprintf("the distance of points %d and %d", i, center), e, "0 or more")
				}
				d = min(d, e)
				dist[i] = d
			}
			if next < 0 || d > dist[next] {
				next = i
			}
		}
		at, t.Rest = next, dist[next]
	}
	return t, nil
}

// Size returns the number of points of the net for epsilon, or -1 where the order
// ended too early for it (epsilon < Rest) or epsilon is not a distance.
func (t *Traversal) Size(epsilon float64) int {
	return t.within(t.rounded(epsilon))
}

// rounded returns ε with what rounding may add to a distance of ε, see Net.
func (t *Traversal) rounded(epsilon float64) float64 {
	if t.dim == 0 {
		return epsilon
	}
	return roundedUp(epsilon, t.size, t.dim)
}

// within is Size for an ε that rounding is in.
func (t *Traversal) within(epsilon float64) int {
	if !(epsilon >= t.Rest) {
		return -1
	}
	return sort.Search(len(t.Radius), func(i int) bool { return t.Radius[i] <= epsilon })
}

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
	places := p.placesFor(epsilon)
	for i, x := range p.Coords {
		if !(math.Abs(x*places.unit) <= 1<<100) {
			return nil, bcpace.In("cover").Bad(fmt.Sprintf("coordinate %d of point %d", i%p.Dim, i/p.Dim), x, fmt.Sprintf("at most 2^100·ε in size, with ε = %v; give a larger ε", epsilon))
		}
	}
	near := make([]knn.Neighbor, 0, 2)
	var net []int
	for k, i := range order {
		if k%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t, x := places.of(p, i)
		if near = t.Nearest(near, x, 1); len(near) == 0 || near[0].Dist > epsilon*places.unit {
			t.Add(x, int32(len(net)))
			net = append(net, i)
		}
	}
	return net, nil
}

// places are indexes of points, one for each kind. An index takes points within 1e-9 for one. In units of a power of two near
// a radius, which changes no digit of a distance, points that are farther apart than that are more than 1 apart.
type places struct {
	unit    float64
	periods []float64
	index   map[int32]*knn.Index
	x       []float64
}

// placesFor returns places without points yet. A radius of 0 has no unit of its own.
func (p *Points) placesFor(radius float64) *places {
	s := &places{unit: 1, periods: slices.Clone(p.Periods), index: make(map[int32]*knn.Index), x: make([]float64, p.Dim)}
	if radius > 0 {
		_, exponent := math.Frexp(radius)
		s.unit = math.Ldexp(1, 1-exponent)
	}
	for i := range s.periods {
		s.periods[i] *= s.unit
	}
	return s
}

// of returns the index for a point of p, and where the point is in it, until the next call.
func (s *places) of(p *Points, i int) (index *knn.Index, x []float64) {
	for c, v := range p.At(i) {
		s.x[c] = v * s.unit
	}
	index = s.index[p.kind(i)]
	if index == nil {
		index = &knn.Index{Dim: p.Dim, Periods: s.periods}
		s.index[p.kind(i)] = index
	}
	return index, s.x
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
	places := p.placesFor(radius)
	for i := range centers.Len() {
		t, x := places.of(centers, i)
		t.Add(x, int32(i))
	}
	owner, near := make([]int, p.Len()), make([]knn.Neighbor, 0, 2)
	for i := range owner {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t, x := places.of(p, i)
		near = t.Nearest(near, x, 1)
		owner[i] = int(t.Samples(near[0].Site)[0])
	}
	return owner, nil
}
