package cover

import (
	"cmp"
	"context"
	"fmt"

	"bayescpace/bcpace"
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
	// Why says what the ends of Domination and Independence rest on.
	Why Why
	// Complete says that all four are known.
	Complete bool
	// Smallest and Largest are a smallest and a largest minimal cover of those that
	// were found, and Apart a largest set of points more than ε apart: of sizes Domination.Upper,
	// Upper.Lower and Independence.Lower, by point number.
	Smallest, Largest, Apart []int
	// Packing is the fractional packing that Domination.Lower rests on, if Why says so.
	Packing Packing
}

// Options of Number and Graph.Numbers. Every zero value is useful.
type Options struct {
	// Exact asks for a search for the numbers. It finds them for some 60 points in
	// each connected part, and along chains; elsewhere it makes the intervals of γ and α shorter
	// while it gains. Where its context ends, the bounds so far come back.
	Exact bool
	// Orders is the number of random orders in which greedy covers are made, beside
	// the fixed ones. 0 means 8. Above 50,000 points in a block there is one at most.
	Orders int
	// Seed makes the random orders.
	Seed uint64
	// Progress, if set, is called with the intervals whenever a search has found more, from one
	// goroutine at a time.
	Progress func(Numbers)
}

// The most points for which bounds are taken from the graph, and how much work all graphs of a
// set may be, in pairs of points.
const (
	fineGraph  = 2000
	graphPairs = 4 * fineGraph * fineGraph
)

// Number bounds the covering numbers of s for epsilon ≥ 0 and, with o.Exact, searches
// for them. A *Points may have any size; other spaces have at most 8,000 points.
//
// Points are split where they are more than ε apart. Chains of them have exact numbers; few have those
// of their graph; many have nets, covers, packings and volumes (see Reason).
//
// Where ctx ends, bounds come back if they were found by then, without an error and
// with Complete false. The error is an *bcpace.InputError for points, distances, an ε
// or options that cannot be used, or the context's.
func Number(ctx context.Context, s Space, epsilon float64, o Options) (Numbers, error) {
	if err := cmp.Or(checkEpsilon(epsilon), o.resolve()); err != nil {
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
	if err := cmp.Or(p.ready(), p.checkEpsilon(epsilon)); err != nil {
		return Numbers{}, err
	}
	list := p.Distinct()
	q := p
	if len(list) < p.Len() {
		q = p.Pick(list)
	}
	x, err := q.number(ctx, epsilon, o)
	if err != nil {
		return Numbers{}, err
	}
	x.Epsilon, x.Points, x.Distinct = epsilon, p.Len(), q.Len()
	if q != p {
		x.renumber(list)
	}
	return x, nil
}

// renumber gives the points of sets and packings their numbers in a larger set.
func (n *Numbers) renumber(list []int) {
	for _, set := range []*[]int{&n.Smallest, &n.Largest, &n.Apart, &n.Packing.Points} {
		old := *set // which another may share
		*set = make([]int, len(old))
		for k, i := range old {
			(*set)[k] = list[i]
		}
	}
}

func (o *Options) resolve() error {
	if o.Orders < 0 {
		return bcpace.In("cover").Bad("Orders", o.Orders, "a number of random orders, or 0 for 8")
	}
	o.Orders = cmp.Or(o.Orders, 8)
	return nil
}

// withoutSets returns the intervals alone.
func (n Numbers) withoutSets() Numbers {
	n.Smallest, n.Largest, n.Apart, n.Packing = nil, nil, nil, Packing{}
	return n
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
	if n.Separated.Lower > n.Independence.Lower {
		n.Independence.Lower, n.Why.IndependenceLower = n.Separated.Lower, ByOrder
	}
	n.Upper.Lower = max(n.Upper.Lower, n.Independence.Lower)
	if n.Upper.Upper < n.Independence.Upper {
		n.Independence.Upper, n.Why.IndependenceUpper = n.Upper.Upper, ByOrder
	}
	n.Separated.Upper = min(n.Separated.Upper, n.Independence.Upper)
	if n.Separated.Upper < n.Domination.Upper {
		n.Domination.Upper, n.Why.DominationUpper = n.Separated.Upper, ByOrder
	}
	n.Complete = n.Domination.Exact() && n.Separated.Exact() && n.Independence.Exact() && n.Upper.Exact()
}

// meet takes the better of two bounds of the same numbers.
func (n *Numbers) meet(m Numbers) {
	if m.Domination.Lower > n.Domination.Lower {
		n.Domination.Lower, n.Why.DominationLower, n.Packing = m.Domination.Lower, m.Why.DominationLower, m.Packing
	}
	if m.Domination.Upper < n.Domination.Upper {
		n.Domination.Upper, n.Why.DominationUpper, n.Smallest = m.Domination.Upper, m.Why.DominationUpper, m.Smallest
	}
	if m.Independence.Lower > n.Independence.Lower {
		n.Independence.Lower, n.Why.IndependenceLower, n.Apart = m.Independence.Lower, m.Why.IndependenceLower, m.Apart
	}
	if m.Independence.Upper < n.Independence.Upper {
		n.Independence.Upper, n.Why.IndependenceUpper = m.Independence.Upper, m.Why.IndependenceUpper
	}
	if m.Upper.Lower > n.Upper.Lower {
		n.Upper.Lower, n.Largest = m.Upper.Lower, m.Largest
	}
	n.Upper.Upper = min(n.Upper.Upper, m.Upper.Upper)
	n.Separated = Interval{max(n.Separated.Lower, m.Separated.Lower), min(n.Separated.Upper, m.Separated.Upper)}
	n.chain()
}

// plus adds the numbers of points that are more than ε from the others, with their numbers there.
func (n *Numbers) plus(m Numbers) {
	n.Domination = n.Domination.plus(m.Domination)
	n.Separated = n.Separated.plus(m.Separated)
	n.Independence = n.Independence.plus(m.Independence)
	n.Upper = n.Upper.plus(m.Upper)
	n.Why = n.Why.or(m.Why)
	n.Smallest, n.Largest, n.Apart = append(n.Smallest, m.Smallest...), append(n.Largest, m.Largest...), append(n.Apart, m.Apart...)
	n.Packing.Points, n.Packing.Weight = append(n.Packing.Points, m.Packing.Points...), append(n.Packing.Weight, m.Packing.Weight...)
	n.Complete = n.Domination.Exact() && n.Separated.Exact() && n.Independence.Exact() && n.Upper.Exact()
}
