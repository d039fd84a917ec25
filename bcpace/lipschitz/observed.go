package lipschitz

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/internal/knn"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/runs"
)

// QueryValues are those of a function Q(s, b, a) at a list of queries, to be compared pair
// by pair. OptimalValues and RunValues make them.
type QueryValues struct {
	// Function is its name, such as "Q*".
	Function string
	// States, Beliefs, Actions and Q have an entry for each query; States and Beliefs
	// are flat, of axes and latents entries each.
	States, Beliefs []float64
	Actions         []int
	Q               []float64
	// Error bounds the error of each Q, in reward units.
	Error float64

	spec bcpace.Spec
}

// Len returns the number of queries.
func (v *QueryValues) Len() int { return len(v.Q) }

// State returns the state of a query, a view.
func (v *QueryValues) State(i int) []float64 {
	n := len(v.spec.Axes)
	return v.States[i*n : (i+1)*n : (i+1)*n]
}

// Belief returns the belief of a query, a view.
func (v *QueryValues) Belief(i int) bcpace.Belief {
	n := len(v.spec.Latents)
	return v.Beliefs[i*n : (i+1)*n : (i+1)*n]
}

func (v *QueryValues) add(s []float64, b bcpace.Belief, action int, q float64) {
	v.States, v.Beliefs = append(v.States, s...), append(v.Beliefs, b...)
	v.Actions, v.Q = append(v.Actions, action), append(v.Q, q)
}

// OptimalValues returns Q* of every action at each (s, b) that some policy reaches in m
// within o.Depth steps, from dynamic programming. The errors are those of
// cover.NewOptimum.
func OptimalValues(ctx context.Context, m bcpace.Model, o cover.ReachOptions) (*QueryValues, error) {
	x, err := cover.NewOptimum(ctx, m, o)
	if err != nil {
		return nil, err
	}
	v := &QueryValues{Function: "Q*", spec: m.Spec()}
	s := make([]float64, len(v.spec.Axes))
	for n := range x.Graph.Expanded {
		if o.Depth > 0 && int(x.Graph.Depth[n]) > o.Depth {
			break // depths never fall
		}
		x.Graph.State(s, n)
		for a := range v.spec.Actions {
			lower, upper := x.Q(n, a)
			v.add(s, x.Graph.Belief(n), a, (lower+upper)/2)
			v.Error = max(v.Error, (upper-lower)/2)
		}
	}
	v.Error += x.Error
	return v, nil
}

// RunValues returns the value that a run has for each of its samples' queries: Q̃ of
// Bayes-CPACE, or the upper bound of a certified run. The error is an
// *bcpace.InputError for no run.
func RunValues(r *runs.Run) (*QueryValues, error) {
	if r == nil {
		return nil, bcpace.In("values of a run").Bad("run", "nil", "a run")
	}
	v := &QueryValues{Function: "Q̃", spec: r.Spec}
	if r.Brackets() {
		v.Function = "U"
	}
	for i := range r.Samples.Len() {
		c := r.Samples.At(i)
		q, _ := r.Q(c.State, c.Belief, c.Action)
		v.add(c.State, c.Belief, c.Action, q)
	}
	return v, nil
}

// ObserveOptions of Observe. Every zero value is useful.
type ObserveOptions struct {
	// Alpha is α > 0, the weight of the state's distance. 0 means 1.
	Alpha float64
	// Bounds are constants to be held against every pair, in the metric with Alpha.
	Bounds []NamedConstant
	// Keep is the number of pairs kept for a figure, drawn from all with Seed. 0 means
	// 2,000.
	Keep int
	Seed uint64
	// MaxPoints is the number of queries compared at most. Where there are more, Observe
	// draws MaxPoints of them with Seed. 0 means 3,000.
	MaxPoints int
}

// NamedConstant is a Lipschitz constant with its name, such as "tight", in reward units
// per unit of distance.
type NamedConstant struct {
	Name  string
	Value float64
}

// Observed is by how much a function differs between queries of the same action, beside
// their distances.
type Observed struct {
	Function string
	Model    string
	// Queries is the number of queries compared, and Pairs that of pairs of the same
	// action at a distance above 0.
	Queries, Pairs int
	// LQ is the least constant in the metric with Alpha that no pair breaks; LB is that
	// of the pairs with the same state and control, and LS of those with the same belief.
	// Without such a pair they are 0. Differences count less twice Values.Error, so that these
	// are lower bounds of the function's Lipschitz constants.
	LQ, LB, LS Constant
	Alpha      float64
	// Bounds are those given, and Broken counts the pairs that break each: those whose
	// difference, less twice Values.Error, is above the constant times their distance by
	// more than rounding.
	Bounds []NamedConstant
	Broken []int
	// Kept are pairs for a figure: a sample of all of them, one of a quarter of its size
	// of those that break bounds, and the largest difference at each of a row of
	// distances.
	Kept []Gap
}

// Gap is a pair of queries: their distance, and by how much the function differs.
type Gap struct {
	Distance, Difference float64
	// Breaks has a bit for each of Observed.Bounds that the pair breaks.
	Breaks uint64
}

// maxBounds is how many bits Gap.Breaks has.
const maxBounds = 64

// Observe compares all pairs of queries with the same action. The error is an
// *bcpace.InputError for options that cannot be used or values that are not numbers, or
// the context's.
func (v *QueryValues) Observe(ctx context.Context, o ObserveOptions) (*Observed, error) {
	in := bcpace.In("observed constants")
	if err := cmp.Or(
		in.Need(o.Alpha >= 0 && !math.IsInf(o.Alpha, 1), "Alpha", o.Alpha, "α > 0, or 0 for 1"),
		in.Need(o.Keep >= 0 && o.MaxPoints >= 0, "Keep, MaxPoints", fmt.Sprintf("%d, %d", o.Keep, o.MaxPoints), "numbers of pairs and queries, or 0 for the defaults"),
		in.Need(len(o.Bounds) <= maxBounds, "Bounds", fmt.Sprintf("%d of them", len(o.Bounds)), "64 at most")); err != nil {
		return nil, err
	}
	for _, b := range o.Bounds {
		if !(b.Value >= 0) {
			return nil, in.Bad("constant "+b.Name, b.Value, "0 or more")
		}
	}
	o.Alpha = cmp.Or(o.Alpha, 1)
	o.Keep = cmp.Or(o.Keep, 2000)
	o.MaxPoints = cmp.Or(o.MaxPoints, 3000)
	for i, q := range v.Q {
		if math.IsNaN(q) || math.IsInf(q, 0) {
			return nil, in.Bad(fmt.Sprintf("%s at query %d", v.Function, i), q, "a finite number")
		}
	}
	list := num.UpTo(v.Len())
	rng := rand.New(rand.NewPCG(o.Seed, 0))
	if len(list) > o.MaxPoints {
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		list = list[:o.MaxPoints]
		slices.Sort(list)
	}
	c := &comparison{v: v, o: o, rng: rng, metric: metric.NewQueries(v.spec, o.Alpha), largest: make(map[int]Gap),
		x: &Observed{Function: v.Function, Model: v.spec.Name, Queries: len(list), Alpha: o.Alpha, Bounds: slices.Clone(o.Bounds), Broken: make([]int, len(o.Bounds))}}
	byAction, points, dim := make([][]int, len(v.spec.Actions)), make([][]float64, len(v.spec.Actions)), c.metric.Dim()
	point := make([]float64, dim)
	for _, i := range list {
		a := c.metric.Embed(point, v.State(i), v.Belief(i), v.Actions[i])
		byAction[a], points[a] = append(byAction[a], i), append(points[a], point...)
	}
	for a, group := range byAction {
		if err := c.action(ctx, group, points[a]); err != nil {
			return nil, err
		}
	}
	c.finish()
	return c.x, nil
}

// comparison is an Observe under way.
type comparison struct {
	v            *QueryValues
	o            ObserveOptions
	x            *Observed
	rng          *rand.Rand
	metric       metric.Queries
	lq, lb, ls   best
	breaking     []Gap // some that break bounds
	seenBreaking int
	largest      map[int]Gap // by distance, in eighths of a doubling
}

// action compares the queries of one action, which lie at points.
func (c *comparison) action(ctx context.Context, group []int, points []float64) error {
	v, dim, periods := c.v, c.metric.Dim(), c.metric.Periods()
	axes := dim - len(v.spec.Latents)
	for k, i := range group {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		x := points[k*dim : (k+1)*dim]
		for l, j := range group[:k] {
			y := points[l*dim : (l+1)*dim]
			state, belief := knn.PeriodicDistance(x[:axes], y[:axes], periods), knn.Distance(x[axes:], y[axes:])
			distance := state + belief
			difference := max(0, math.Abs(v.Q[i]-v.Q[j])-2*v.Error)
			// Queries closer than rounding can tell are one.
			if distance < 1e-9 {
				continue
			}
			c.lq.offer(difference, distance, 0, j, i, -1)
			if state == 0 {
				c.lb.offer(difference, distance, 0, j, i, -1)
			}
			if belief < 1e-9 {
				c.ls.offer(difference, state/c.o.Alpha, 0, j, i, -1)
			}
			c.offer(Gap{Distance: distance, Difference: difference})
		}
	}
	return nil
}

// offer counts a pair and keeps it with the right probability (reservoir sampling),
// for all pairs and for those that break bounds.
func (c *comparison) offer(g Gap) {
	x := c.x
	for k, b := range c.o.Bounds {
		if g.Difference > b.Value*g.Distance*(1+1e-9) {
			x.Broken[k]++
			g.Breaks |= 1 << k
		}
	}
	x.Pairs++
	if at := int(math.Floor(8 * math.Log2(g.Distance))); g.Difference > c.largest[at].Difference {
		c.largest[at] = g
	}
	reserve(&x.Kept, g, x.Pairs, c.o.Keep, c.rng)
	if g.Breaks != 0 {
		c.seenBreaking++
		reserve(&c.breaking, g, c.seenBreaking, c.o.Keep/4, c.rng)
	}
}

// reserve keeps g, the n-th offered, as one of a sample of size keep.
func reserve(list *[]Gap, g Gap, n, keep int, rng *rand.Rand) {
	if len(*list) < keep {
		*list = append(*list, g)
	} else if k := rng.IntN(n); k < keep {
		(*list)[k] = g
	}
}

// finish adds to the kept pairs those that must be seen.
func (c *comparison) finish() {
	x := c.x
	x.Kept = append(x.Kept, c.breaking...)
	for _, at := range slices.Sorted(maps.Keys(c.largest)) {
		x.Kept = append(x.Kept, c.largest[at])
	}
	x.LQ, x.LB, x.LS = c.constant(c.lq), c.constant(c.lb), c.constant(c.ls)
}

// constant makes a Constant of a worst pair.
func (c *comparison) constant(p best) Constant {
	if p.ratio == 0 {
		return Constant{}
	}
	v := c.v
	w := Witness{What: "|" + v.Function + "1−" + v.Function + "2|", S1: slices.Clone(v.State(p.i)), B1: slices.Clone(v.Belief(p.i)), B2: slices.Clone(v.Belief(p.j)),
		Action: v.Actions[p.i], Latent: p.latent, Distance: p.distance, Difference: p.difference, Ratio: p.ratio}
	if s2 := v.State(p.j); !slices.Equal(w.S1, s2) {
		w.S2 = slices.Clone(s2)
	}
	if w.Action != v.Actions[p.j] {
		_, w.U2 = v.spec.Control(nil, v.Actions[p.j])
	}
	if slices.Equal(w.B1, w.B2) {
		w.B2 = nil
	}
	return Constant{Value: p.ratio, Worst: w}
}

// Named returns the paper's and the tight L_Q in the metric with weight alpha > 0, to be
// held against values by Observe.
func (c Constants) Named(alpha float64) []NamedConstant {
	return []NamedConstant{{"paper", max(c.Paper.LS/alpha, c.Paper.LB)}, {"tight", c.Tight.QWith(alpha)}}
}
