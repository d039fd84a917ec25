package cover

import (
	"context"
	"slices"

	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/runs"
)

// Numbers bounds the covering numbers of a graph and, with o.Exact, searches for
// them: see Number. Epsilon is 0.
func (g *NeighbourGraph) Numbers(ctx context.Context, o Options) (Numbers, error) {
	if err := o.resolve(); err != nil {
		return Numbers{}, err
	}
	x := Numbers{Points: g.n, Distinct: g.n, Complete: true}
	for _, part := range g.parts() {
		y := part.numbers(ctx, o)
		y.renumber(part.from)
		x.plus(y)
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
		for _, x := range []struct {
			of     *Interval
			search func()
		}{{&s.Independence, s.searchIndependence}, {&s.Upper, s.searchUpper},
			{&s.Domination, s.searchDomination}, {&s.Separated, s.searchSeparated}} {
			if !x.of.Exact() {
				x.search()
				s.chain()
			}
		}
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
		order := shuffled[int](g.n, o.Seed, k)
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
// tell more.
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
	s.Smallest, s.Largest, s.Apart = greedy.small, slices.Clone(greedy.widest), slices.Clone(greedy.sparse)
	s.Why = Why{ByApartTwice | ByDegree, ByCover, ByApart, ByCliques}
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
	δ := g.n
	for v := range g.n {
		δ = min(δ, count(g.row(v))-1)
	}
	s.Upper = Interval{len(greedy.widest), min(halves(cliques), g.n-δ)}
	work := 0 // of finding the pairs
	for v := range g.n {
		d := count(g.row(v))
		work += d * d * g.words
	}
	if work <= pairBudget || o.Exact && work <= searchBudget {
		if p, ok := g.irredundance(s.ctx); ok {
			s.irredundant = p
			s.Upper.Upper = min(s.Upper.Upper, len(p.cliques()))
		}
	}
	s.chain()
}

// searchIndependence searches for α. The other searches have the time that it leaves.
func (s *numberSearch) searchIndependence() {
	a := s.independent
	a.best = s.greedy.sparse
	if a.solve() {
		s.Independence.Upper, s.Why.IndependenceUpper = len(a.best), BySearch
	}
	if len(a.best) > s.Independence.Lower {
		s.Independence.Lower, s.Apart = len(a.best), a.best
	}
	if len(a.best) > len(s.Largest) {
		s.Largest = slices.Clone(a.best)
	}
}

// leftToNext is the share of the time left that a search leaves to the next.
const leftToNext = 0.5

// searchUpper searches for Γ, the size of the largest irredundant set that covers.
func (s *numberSearch) searchUpper() {
	if s.irredundant == nil {
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
}

// searchDomination searches for γ.
func (s *numberSearch) searchDomination() {
	half, cancel := runs.LeaveTime(s.ctx, leftToNext)
	defer cancel()
	d := &s.smallest
	d.ctx = half
	if d.solve() {
		s.Domination.Lower, s.Why.DominationLower = len(d.best), BySearch
	}
	s.Domination.Upper, s.Smallest = len(d.best), d.best
}

// searchSeparated searches for i.
func (s *numberSearch) searchSeparated() {
	i := domination{NeighbourGraph: s.graph, ctx: s.ctx, separated: true, best: s.greedy.separated}
	if i.solve() {
		s.Separated.Lower = len(i.best)
	}
	s.Separated.Upper = min(s.Separated.Upper, len(i.best))
	if len(i.best) < len(s.Smallest) { // where the search for γ was cut off
		s.Domination.Upper, s.Smallest = len(i.best), i.best
	}
}
