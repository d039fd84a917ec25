package cover

import (
	"context"
	"math"
	"slices"
	"sync"

	"bayescpace/bcpace/internal/kdtree"
)

// many bounds the numbers of many points, without their graph. At once there are nets, a cover from
// the outside in, a fractional packing, cliques and a volume; what is tried after that has the time
// that there is.
type many struct {
	*Points
	epsilon float64 // rounding is in it
	tree    *kdtree.Tree
	spread  *Traversal
	smaller *smaller

	lock sync.Mutex
	Numbers
	tell func(Numbers)
}

// How fine the packing and the candidates of covers are, in points for each of a cover, and how often
// the packing's weights are improved. They are measured: finer ones tell more, and take longer.
const (
	demandsAtOnce, roundsAtOnce = 16, 12
	roundsLater                 = 60
	demandsLater, demandsMost   = 32, 256
	demandsLeast                = 1 << 10
	candidatesEach              = 20
	centersEach                 = 4 // for each demand, while weights are improved
	boxesAtOnce, boxesLater     = 1 << 14, 1 << 18
	boxesEach                   = 256 // for each point at most
)

// maxDemands bounds the points of a packing, and with them its memory and time.
const maxDemands = 1 << 20

// newMany finds the bounds that are had at once for two or more points of one kind that differ.
func newMany(ctx context.Context, p *Points, epsilon float64, o Options) (*many, error) {
	tree, err := p.tree(ctx)
	if err != nil {
		return nil, err
	}
	m, n := &many{Points: p, epsilon: epsilon, tree: tree}, p.Len()
	m.Numbers = Numbers{Points: n, Distinct: n}
	m.Domination.Lower, m.Independence.Upper, m.Upper.Upper = 1, n, n
	m.Why = Why{DominationLower: ByDegree, IndependenceUpper: ByCliques}
	if err := m.nets(ctx, o); err != nil {
		return nil, err
	}
	_, owner, err := tree.Net(ctx, kdtree.Half(epsilon, m.Periods), upTo[int32](n))
	defer m.chain()
	if err != nil {
		return m, nil // there are bounds to keep
	}
	cells := make([]int, slices.Max(owner)+1)
	for _, k := range owner {
		cells[k]++
	}
	m.Upper.Upper = halves(cells)
	m.atMost(len(cells), ByCliques)
	m.volume(ctx, min(boxesAtOnce, boxesEach*m.Len()))
	if apart, _, err := tree.Net(ctx, kdtree.Twice(epsilon, m.Periods), tree.At); err == nil {
		m.atLeast(Numbers{Domination: Interval{Lower: len(apart)}}, ByApartTwice)
	}
	m.spread = &Traversal{Rest: math.Inf(1), take: kdtree.NewFarthest(m.tree).Take}
	if m.cover(ctx, o) == nil {
		for _, each := range []int{demandsAtOnce / 4, demandsAtOnce} { // the first is soon there
			if m.pack(ctx, each, roundsAtOnce) != nil {
				break
			}
		}
	}
	return m, nil
}

// nets takes the smallest and the largest of some nets.
func (m *many) nets(ctx context.Context, o Options) error {
	const large = 50_000
	orders := o.Orders
	if m.Len() > large {
		orders = min(orders, 1)
	}
	for k := range 3 + orders {
		var order []int32
		switch k {
		case 0:
			order = upTo[int32](m.Len())
		case 1:
			order = m.tree.At // a sweep that stays close to what it has swept
		case 2:
			order = m.tree.FromOutside()
			for k, s := range order {
				order[k] = m.tree.At[s]
			}
		default:
			order = shuffled[int32](m.Len(), o.Seed, k-3)
		}
		net, _, err := m.tree.Net(ctx, m.epsilon, order)
		if err != nil && k > 0 {
			return nil // there are bounds to keep
		}
		if err != nil {
			return err
		}
		if k == 0 || len(net) < len(m.Smallest) {
			m.covered(net)
			m.Separated.Upper = len(net)
		}
		if len(net) > len(m.Apart) {
			m.Apart, m.Largest = net, net
			m.Independence.Lower, m.Upper.Lower, m.Why.IndependenceLower = len(net), len(net), ByApart
		}
	}
	return nil
}

// covered takes a cover, of points.
func (m *many) covered(cover []int) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.Smallest, m.Domination.Upper, m.Why.DominationUpper = slices.Clone(cover), len(cover), ByCover
	m.told()
}

// atMost takes an upper bound of α.
func (m *many) atMost(n int, why Reason) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if n < m.Independence.Upper {
		m.Independence.Upper, m.Why.IndependenceUpper = n, why
		m.told()
	}
}

// atLeast takes a lower bound of γ, with its packing.
func (m *many) atLeast(x Numbers, why Reason) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if x.Domination.Lower > m.Domination.Lower {
		m.Domination.Lower, m.Packing, m.Why.DominationLower = x.Domination.Lower, x.Packing, why
		m.told()
	}
}

// told tells what is known now.
func (m *many) told() {
	if m.tell != nil {
		m.tell(m.Numbers)
	}
}

func (m *many) volume(ctx context.Context, boxes int) {
	if n, ok := m.tree.Packed(ctx, m.epsilon, boxes); ok {
		m.atMost(n, ByVolume)
	}
}

// cover makes a cover from the outside in.
func (m *many) cover(ctx context.Context, o Options) error {
	if err := m.spread.grow(ctx, m.Len(), m.epsilon); err != nil {
		return err
	}
	if err := m.spread.grow(ctx, max(candidatesEach*len(m.spread.Order), demandsLeast), 0); err != nil {
		return err
	}
	candidates := make([]int32, len(m.spread.Order))
	for k, i := range m.spread.Order {
		candidates[k] = m.tree.Slot[i]
	}
	near, err := m.Pick(m.spread.Order).tree(ctx)
	if err != nil {
		return err
	}
	m.smaller = newSmaller(m.tree, m.Points, m.epsilon, candidates, near, o.Seed)
	err = m.smaller.first(ctx)
	if err == nil && len(m.smaller.cover) < len(m.Smallest) {
		m.covered(m.points(m.smaller.cover))
	}
	return err
}

// points returns the points at those slots.
func (m *many) points(slots []int32) []int {
	list := make([]int, len(slots))
	for k, s := range slots {
		list[k] = int(m.tree.At[s])
	}
	return list
}

// pack makes a packing of so many points for each of the cover, and improves it.
func (m *many) pack(ctx context.Context, each, rounds int) error {
	m.lock.Lock()
	n := min(max(each*len(m.Smallest), demandsLeast), m.Len(), maxDemands)
	m.lock.Unlock()
	if err := m.spread.grow(ctx, centersEach*n, 0); err != nil {
		return err
	}
	points := m.spread.Order[:min(n, len(m.spread.Order))]
	demands, err := m.Pick(points).tree(ctx)
	if err != nil {
		return err
	}
	centers, err := m.Pick(m.spread.Order[:min(centersEach*n, len(m.spread.Order))]).tree(ctx)
	if err != nil {
		return err
	}
	w := kdtree.NewLoads(centers, demands, m.epsilon)
	weight := slices.Repeat([]float64{1}, len(points))
	if err := improve(ctx, w, weight, rounds); err != nil {
		return err
	}
	// The balls around all points hold 1 at most.
	worst := make([]float64, len(points))
	if err := kdtree.NewLoads(m.tree, demands, m.epsilon).Weigh(ctx, weight, worst, nil, 0); err != nil {
		return err
	}
	settle(weight, worst)
	x := Numbers{Packing: Packing{Weight: weight, Points: make([]int, len(points))}}
	for s, k := range demands.At {
		x.Packing.Points[s] = points[k]
	}
	x.Domination.Lower = x.Packing.least()
	m.atLeast(x, ByPacking)
	return nil
}

// refine makes the intervals of γ and α shorter until nothing more is found or the context ends.
func (m *many) refine(ctx context.Context, tell func(Numbers)) {
	m.tell = tell
	var both sync.WaitGroup
	if m.smaller != nil && len(m.smaller.cover) > 0 && m.smaller.Left() == 0 {
		both.Go(func() { m.shrink(ctx) })
	}
	m.volume(ctx, min(boxesLater, boxesEach*m.Len()))
	for each := demandsLater; each <= demandsMost && ctx.Err() == nil && !m.Domination.Exact(); each *= 2 {
		if m.pack(ctx, each, roundsLater) != nil || each*len(m.Smallest) > min(m.Len(), maxDemands) {
			break
		}
	}
	both.Wait()
	m.tell = nil
	m.chain()
}

// patience is how often, for each point of a cover, a part of it is covered anew without gain
// before it is left as it is.
const patience = 20

// shrink makes the cover smaller.
func (m *many) shrink(ctx context.Context) {
	s := m.smaller
	for idle := 0; idle < patience*len(s.cover) && ctx.Err() == nil; idle++ {
		before := len(s.cover)
		s.again(m.epsilon)
		if len(s.cover) < before {
			idle = 0
			if len(s.cover) < len(m.Smallest) {
				m.covered(m.points(s.cover))
			}
		}
	}
}
