package cover

import (
	"cmp"
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/runs"
)

// Interval is what is known of a whole number: it is from Lower to Upper.
type Interval struct{ Lower, Upper int }

// Exact reports whether the number is known.
func (i Interval) Exact() bool { return i.Lower == i.Upper }

func (i Interval) String() string {
	if i.Exact() {
		return fmt.Sprint(i.Lower)
	}
	return fmt.Sprintf("%d to %d", i.Lower, i.Upper)
}

func (i Interval) plus(y Interval) Interval { return Interval{i.Lower + y.Lower, i.Upper + y.Upper} }

// Numbers are the covering numbers of a set at one ε. See the package comment.
type Numbers struct {
	Epsilon float64
	// Points is the size of the set, and Distinct that without repetitions.
	Points, Distinct int
	// Domination is γ, the smallest cover (N_min in the notebooks); Separated is i, the
	// smallest cover whose points are more than ε apart (N_net); Independence is α, the
	// largest set of points more than ε apart (N_sep).
	Domination, Separated, Independence Interval
	// Upper is Γ, the covering number N_B(ε) of the paper: the largest minimal cover (N_Γ).
	Upper Interval
	// Complete says that a search was asked for and came to its end, so that all
	// four are known.
	Complete bool
	// Smallest and Largest are a smallest and a largest minimal cover of those that
	// were found: of sizes Domination.Upper and Upper.Lower, by point number.
	Smallest, Largest []int
}

// Options of Number and Graph.Numbers. Every zero value is useful.
type Options struct {
	// Exact asks for a search for the four numbers. It is made for some 60 points in
	// each connected part; where its context ends, the bounds so far come back.
	Exact bool
	// Orders is the number of random orders in which greedy covers are made, beside
	// the fixed ones. 0 means 8.
	Orders int
	// Seed makes the random orders.
	Seed uint64
}

// fineGraph is the most points for which bounds are taken from the graph.
const fineGraph = 2000

// Number bounds the covering numbers of s for epsilon ≥ 0 and, with o.Exact, searches
// for them. A *Points may have any size, but above 8,000 distinct points there are
// only bounds, o.Exact or not. Other spaces have at most 8,000 points.
//
// Where ctx ends, bounds come back if they were found by then, without an error and
// with Complete false. The error is an *bcpace.InputError for points, distances, an ε
// or options that cannot be used, or the context's.
func Number(ctx context.Context, s Space, epsilon float64, o Options) (Numbers, error) {
	if err := checkEpsilon(epsilon); err != nil {
		return Numbers{}, err
	}
	if err := o.resolve(); err != nil {
		return Numbers{}, err
	}
	p, ok := s.(*Points)
	if !ok {
		g, err := NewGraph(ctx, s, epsilon)
		if err != nil {
			return Numbers{}, err
		}
		x, err := g.Numbers(ctx, o)
		x.Epsilon = epsilon
		return x, err
	}
	if err := p.Validate(); err != nil {
		return Numbers{}, err
	}
	list := p.Distinct()
	q := p.Pick(list)
	x, err := q.number(ctx, epsilon, o)
	if err != nil {
		return Numbers{}, err
	}
	x.Epsilon, x.Points, x.Distinct = epsilon, p.Len(), len(list)
	for _, cover := range [][]int{x.Smallest, x.Largest} {
		for k, i := range cover {
			cover[k] = list[i]
		}
	}
	return x, nil
}

func (o *Options) resolve() error {
	if o.Orders < 0 {
		return bcpace.In("cover").Bad("Orders", o.Orders, "a number of random orders, or 0 for 8")
	}
	o.Orders = cmp.Or(o.Orders, 8)
	return nil
}

// number is Number for distinct points.
func (p *Points) number(ctx context.Context, epsilon float64, o Options) (Numbers, error) {
	if p.Len() <= fineGraph || o.Exact && p.Len() <= maxGraph {
		g, err := NewGraph(ctx, p, epsilon)
		if err != nil {
			return Numbers{}, err
		}
		return g.Numbers(ctx, o)
	}
	return p.bounds(ctx, epsilon, o)
}

// bounds is number without the graph.
func (p *Points) bounds(ctx context.Context, epsilon float64, o Options) (Numbers, error) {
	var x Numbers
	epsilon = p.rounded(epsilon)
	cliques, err := p.cells(ctx, half(epsilon))
	if err != nil {
		return x, err
	}
	x.Independence.Upper, x.Upper.Upper = len(cliques), halves(cliques)
	// Points more than 2ε apart have no cover point in common.
	apart, err := p.net(ctx, 2*epsilon*(1+1e-12), nil)
	if err != nil {
		return x, err
	}
	x.Domination.Lower = len(apart)
	for k := -1; k < o.Orders; k++ {
		order := num.UpTo(p.Len())
		if k >= 0 {
			order = shuffled(p.Len(), o.Seed, k)
		}
		net, err := p.net(ctx, epsilon, order)
		if err != nil {
			if k >= 0 { // there are bounds to keep
				break
			}
			return x, err
		}
		if k < 0 || len(net) < len(x.Smallest) {
			x.Smallest = net
		}
		if len(net) > len(x.Largest) {
			x.Largest = append([]int(nil), net...)
		}
	}
	x.Smallest = append([]int(nil), x.Smallest...)
	x.Domination.Upper, x.Separated.Upper = len(x.Smallest), len(x.Smallest)
	x.Independence.Lower, x.Upper.Lower = len(x.Largest), len(x.Largest)
	x.chain()
	return x, nil
}

// cells splits the points by the nearest earlier centre of a net and returns the
// sizes of the parts.
func (p *Points) cells(ctx context.Context, radius float64) ([]int, error) {
	net, err := p.net(ctx, radius, nil)
	if err != nil {
		return nil, err
	}
	owner, err := p.nearest(ctx, p.Pick(net), radius)
	if err != nil {
		return nil, err
	}
	size := make([]int, len(net))
	for _, i := range owner {
		size[i]++
	}
	return size, nil
}

// halves bounds Γ from a partition into cliques of those sizes: Γ ≤ Σ max(1, size/2).
//
// Let D be a minimal cover. Each of its points v has a private point p(v) that no
// other point of D covers, and different points have different ones. If a clique has
// two or more points of D, none of them is private to itself, and none of its other
// points is private to any, being covered twice. So the cliques fall into those with
// one point of D at most, C; those with more, A; and the private points of A's
// points lie in neither: not in A, nor at a clique of C with a point v of D, whose
// points v covers while they are private to another. They lie in cliques without a
// point of D, B. Hence |D| ≤ min(Σ_A size, Σ_B size) + |C| ≤ Σ_A∪B size/2 + |C|.
func halves(sizes []int) int {
	n := 0
	for _, s := range sizes {
		n += max(2, s)
	}
	return n / 2
}

// chain carries bounds along γ ≤ i ≤ α ≤ Γ.
func (n *Numbers) chain() {
	n.Separated.Lower = max(n.Separated.Lower, n.Domination.Lower)
	n.Independence.Lower = max(n.Independence.Lower, n.Separated.Lower)
	n.Upper.Lower = max(n.Upper.Lower, n.Independence.Lower)
	n.Independence.Upper = min(n.Independence.Upper, n.Upper.Upper)
	n.Separated.Upper = min(n.Separated.Upper, n.Independence.Upper)
	n.Domination.Upper = min(n.Domination.Upper, n.Separated.Upper)
}

// Numbers bounds the covering numbers of a graph and, with o.Exact, searches for
// them: see Number. Epsilon is 0.
func (g *NeighbourGraph) Numbers(ctx context.Context, o Options) (Numbers, error) {
	if err := o.resolve(); err != nil {
		return Numbers{}, err
	}
	x := Numbers{Points: g.n, Distinct: g.n, Complete: o.Exact}
	for _, part := range g.parts() {
		y := part.numbers(ctx, o)
		x.Domination = x.Domination.plus(y.Domination)
		x.Separated = x.Separated.plus(y.Separated)
		x.Independence = x.Independence.plus(y.Independence)
		x.Upper = x.Upper.plus(y.Upper)
		x.Complete = x.Complete && y.Complete
		for _, v := range y.Smallest {
			x.Smallest = append(x.Smallest, part.from[v])
		}
		for _, v := range y.Largest {
			x.Largest = append(x.Largest, part.from[v])
		}
	}
	return x, nil
}

// pairBudget and searchBudget limit the work of finding private neighbours, for a
// bound alone and for the search.
const pairBudget, searchBudget = 1 << 28, 1 << 31

// numbers is Numbers for a connected graph without twins.
func (g *NeighbourGraph) numbers(ctx context.Context, o Options) Numbers {
	s := numberSearch{graph: g, ctx: ctx, greedy: g.greedySets(ctx, o)}
	s.bound(o)
	if o.Exact {
		s.searchIndependence()
		s.searchUpper()
		s.searchDomination()
		s.searchSeparated()
		s.Complete = s.Domination.Exact() && s.Separated.Exact() && s.Independence.Exact() && s.Upper.Exact()
	}
	return s.Numbers
}

// greedySets are the best sets that greedy rules find.
type greedySets struct {
	small, widest     []int // the smallest and the largest minimal cover
	separated, sparse []int // the smallest and the largest net
}

// greedySets makes nets and covers by fixed rules and in random orders, fewer than o.Orders where
// ctx ends.
func (g *NeighbourGraph) greedySets(ctx context.Context, o Options) greedySets {
	sparse := g.sparseNet()
	x := greedySets{small: g.greedyCover(), widest: sparse, separated: sparse, sparse: sparse}
	take := func(net []int) {
		if len(net) < len(x.separated) {
			x.separated = net
		}
		if len(net) > len(x.sparse) {
			x.sparse = net
		}
	}
	take(g.net(num.UpTo(g.n)))
	for k := range o.Orders {
		if ctx.Err() != nil {
			break
		}
		order := shuffled(g.n, o.Seed, k)
		take(g.net(order))
		if cover := g.reduce(order); len(cover) > len(x.widest) {
			x.widest = cover
		}
	}
	if len(x.sparse) > len(x.widest) {
		x.widest = x.sparse
	}
	if len(x.separated) < len(x.small) {
		x.small = x.separated
	}
	return x
}

// numberSearch is what is known of the numbers of a connected graph, with the searches that can
// tell more. Each search leaves a number that is known alone.
type numberSearch struct {
	Numbers
	graph       *NeighbourGraph
	ctx         context.Context
	greedy      greedySets
	smallest    domination // for γ
	independent *packing   // for α
	irredundant *packing   // for Γ; nil where it would be too much work
}

// bound bounds the numbers by greedy sets on one side each, and by cliques, degrees and the
// candidates of open vertices on the other.
func (s *numberSearch) bound(o Options) {
	g, greedy := s.graph, &s.greedy
	s.Smallest, s.Largest = greedy.small, greedy.widest
	s.smallest = domination{NeighbourGraph: g, ctx: s.ctx, best: greedy.small}
	least, _, _ := s.smallest.least(s.smallest.root())
	s.Domination, s.Separated = Interval{least, len(greedy.small)}, Interval{least, len(greedy.separated)}
	s.independent = newPacking(s.ctx, g.n, g.row, func(v int) int { return v }) // its sets are the independent ones
	cliques := s.independent.cliques()
	s.Independence = Interval{len(greedy.sparse), len(cliques)}
	// Γ ≤ n − δ. Let D be a minimal cover. If some v of D has no neighbour in D, its
	// neighbours, at least δ, are outside. Otherwise each point of D has a private
	// neighbour outside D, and one of these, with one neighbour in D and so at least
	// δ − 1 outside, makes δ.
	s.Upper = Interval{len(greedy.widest), min(halves(cliques), g.n-g.leastDegree())}
	if work := g.pairWork(); work <= pairBudget || o.Exact && work <= searchBudget {
		if p, ok := g.irredundance(s.ctx); ok {
			s.irredundant = p
			s.Upper.Upper = min(s.Upper.Upper, len(p.cliques()))
		}
	}
	s.chain()
}

// searchIndependence searches for α. The other searches have the time that it leaves.
func (s *numberSearch) searchIndependence() {
	if s.Independence.Exact() {
		return
	}
	a := s.independent
	a.best = s.greedy.sparse
	if a.solve() {
		s.Independence.Upper = len(a.best)
	}
	s.Independence.Lower = max(s.Independence.Lower, len(a.best))
	if len(a.best) > len(s.Largest) {
		s.Largest = a.best
	}
	s.chain()
}

// leftToNext is the share of the time left that a search leaves to the next.
const leftToNext = 0.5

// searchUpper searches for Γ, the size of the largest irredundant set that covers.
func (s *numberSearch) searchUpper() {
	if s.Upper.Exact() || s.irredundant == nil {
		return
	}
	half, cancel := runs.LeaveTime(s.ctx, leftToNext)
	defer cancel()
	pairs := s.irredundant
	pairs.ctx, pairs.best = half, s.Largest
	if pairs.solve() {
		s.Upper.Upper = len(pairs.best)
	}
	s.Upper.Lower, s.Largest = len(pairs.best), pairs.best
	s.chain()
}

// searchDomination searches for γ.
func (s *numberSearch) searchDomination() {
	if s.Domination.Exact() {
		return
	}
	half, cancel := runs.LeaveTime(s.ctx, leftToNext)
	defer cancel()
	d := &s.smallest
	d.ctx = half
	done := d.solve()
	s.Domination.Upper, s.Smallest = len(d.best), d.best
	if done {
		s.Domination.Lower = len(d.best)
	}
	s.chain()
}

// searchSeparated searches for i.
func (s *numberSearch) searchSeparated() {
	if s.Separated.Exact() {
		return
	}
	i := domination{NeighbourGraph: s.graph, ctx: s.ctx, separated: true, best: s.greedy.separated}
	if i.solve() {
		s.Separated.Lower = len(i.best)
	}
	s.Separated.Upper = min(s.Separated.Upper, len(i.best))
	s.chain()
}
