package cover

import (
	"context"
	"fmt"
	"time"

	"bayescpace/bcpace"
)

// Interval is what is known of a whole number: it is from Lower to Upper.
type Interval struct{ Lower, Upper int }

// Exact reports whether the number is known.
func (x Interval) Exact() bool { return x.Lower == x.Upper }

func (x Interval) String() string {
	if x.Exact() {
		return fmt.Sprint(x.Lower)
	}
	return fmt.Sprintf("%d to %d", x.Lower, x.Upper)
}

func (x Interval) plus(y Interval) Interval { return Interval{x.Lower + y.Lower, x.Upper + y.Upper} }

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

const defaultOrders = 8

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
		return &bcpace.InputError{Where: "cover", What: "Orders", Got: fmt.Sprint(o.Orders), Want: "a number of random orders, or 0 for 8"}
	}
	if o.Orders == 0 {
		o.Orders = defaultOrders
	}
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
		order := p.own()
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
func (x *Numbers) chain() {
	x.Separated.Lower = max(x.Separated.Lower, x.Domination.Lower)
	x.Independence.Lower = max(x.Independence.Lower, x.Separated.Lower)
	x.Upper.Lower = max(x.Upper.Lower, x.Independence.Lower)
	x.Independence.Upper = min(x.Independence.Upper, x.Upper.Upper)
	x.Separated.Upper = min(x.Separated.Upper, x.Independence.Upper)
	x.Domination.Upper = min(x.Domination.Upper, x.Separated.Upper)
}

// Numbers bounds the covering numbers of a graph and, with o.Exact, searches for
// them: see Number. Epsilon is 0.
func (g *Graph) Numbers(ctx context.Context, o Options) (Numbers, error) {
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
func (g *Graph) numbers(ctx context.Context, o Options) Numbers {
	all := make([]int, g.n)
	work := 0
	for v := range all {
		all[v] = v
		d := count(g.row(v))
		work += d * d * g.words
	}
	sparse, small := g.sparseNet(), g.greedyCover()
	separated, widest := sparse, sparse // the smallest net and the largest minimal cover
	take := func(net []int) {
		if len(net) < len(separated) {
			separated = net
		}
		if len(net) > len(sparse) {
			sparse = net
		}
	}
	take(g.net(all))
	for k := range o.Orders {
		if ctx.Err() != nil {
			break
		}
		order := shuffled(g.n, o.Seed, k)
		take(g.net(order))
		if cover := g.reduce(order); len(cover) > len(widest) {
			widest = cover
		}
	}
	if len(sparse) > len(widest) {
		widest = sparse
	}
	if len(separated) < len(small) {
		small = separated
	}

	x := Numbers{Complete: o.Exact, Smallest: small, Largest: widest}
	d := domination{Graph: g, ctx: ctx, best: small}
	l := d.level(0)
	fill(l.open, g.n)
	fill(l.candidates, g.n)
	least, _, _ := d.least(l)
	x.Domination, x.Separated = Interval{least, len(small)}, Interval{least, len(separated)}
	a := g.independence(ctx)
	cliques := a.cliques()
	x.Independence = Interval{len(sparse), len(cliques)}
	// Γ ≤ n − δ. Let D be a minimal cover. If some v of D has no neighbour in D, its
	// neighbours, at least δ, are outside. Otherwise each point of D has a private
	// neighbour outside D, and one of these, with one neighbour in D and so at least
	// δ − 1 outside, makes δ.
	x.Upper = Interval{len(widest), min(halves(cliques), g.n-g.leastDegree())}
	var pairs *packing
	if work <= pairBudget || o.Exact && work <= searchBudget {
		if p, ok := g.irredundance(ctx); ok {
			pairs = p
			x.Upper.Upper = min(x.Upper.Upper, len(p.cliques()))
		}
	}
	x.chain()
	if !o.Exact {
		return x
	}

	if !x.Independence.Exact() {
		a.best = sparse
		if a.solve() {
			x.Independence.Upper = len(a.best)
		}
		x.Independence.Lower = max(x.Independence.Lower, len(a.best))
		if len(a.best) > len(x.Largest) {
			x.Largest = a.best
		}
		x.chain()
	}
	if !x.Upper.Exact() && pairs != nil {
		half, cancel := halfOf(ctx)
		pairs.ctx, pairs.best = half, x.Largest
		if pairs.solve() {
			x.Upper.Upper = len(pairs.best)
		}
		cancel()
		x.Upper.Lower, x.Largest = len(pairs.best), pairs.best
		x.chain()
	}
	if !x.Domination.Exact() {
		half, cancel := halfOf(ctx)
		d.ctx = half
		done := d.solve()
		cancel()
		x.Domination.Upper, x.Smallest = len(d.best), d.best
		if done {
			x.Domination.Lower = len(d.best)
		}
		x.chain()
	}
	if !x.Separated.Exact() {
		i := domination{Graph: g, ctx: ctx, separated: true, best: separated}
		if i.solve() {
			x.Separated.Lower = len(i.best)
		}
		x.Separated.Upper = min(x.Separated.Upper, len(i.best))
		x.chain()
	}
	x.Complete = x.Domination.Exact() && x.Separated.Exact() && x.Independence.Exact() && x.Upper.Exact()
	return x
}

// halfOf allows half of the time that ctx has left, so that a search does not use up
// that of the next.
func halfOf(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(end)/2)
}
