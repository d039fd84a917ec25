package constrained

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/internal/controller"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// Solver looks for the policy that earns most at a limited cost. Cost, Limit and Epsilon must be given; other zero values are useful.
type Solver struct {
	Cost Cost
	// Limit is d: the expected discounted cost from the start may be that at most, but for a billionth of the largest one, which is for
	// rounding.
	Limit float64
	// Epsilon is ε > 0, in reward units: the search ends when the bounds of the constrained optimum are at most ε apart.
	Epsilon float64
	// Inner solves the model for one multiplier, and gives an upper bound of the optimal value there and a policy. nil means package
	// certified with an eighth of Epsilon, and for the policy of least cost with a ten-thousandth of the largest cost.
	Inner bcpace.Solver
	// MaxSolves is how often Inner is asked at most, by Curve for all limits together. 0 means 60.
	MaxSolves int
	// Episodes are played with each policy whose values cannot be computed: one that plans while it acts, or
	// that of a model that is not Finite. 0 means 10,000. Delta is the probability in (0, 1) with which some bound by these episodes may
	// fail; 0 means 0.05. Seed is their seed.
	Episodes int
	Delta    float64
	Seed     uint64
}

// Point is what one multiplier has told.
type Point struct {
	// Multiplier is λ, and +Inf for the policy of least cost.
	Multiplier float64
	// Upper is an upper bound of the optimal value with rewards r − λ·cost; with λ = +Inf, of minus the least cost.
	Upper   float64
	UpperBy bcpace.Basis
	Assumes string // of an upper bound ByAssumption
	// Return is a lower bound of what the policy found earns, and Cost an upper bound of what it costs.
	Return, Cost float64
	// Weight is its share of the mixture.
	Weight float64
}

// Solution is what a Solver has found.
type Solution struct {
	// Policy draws one of at most two policies for each episode. In a model with a horizon it reads the steps left (bcpace.ForPolicy).
	Policy bcpace.Policy
	// Certificate has bounds of the constrained optimum: Policy earns Lower at least, and no policy within the limit earns
	// more than Upper.
	Certificate bcpace.Certificate
	// Cost is an upper bound of what Policy costs. It is at most the limit.
	Cost float64
	// Multiplier is the λ of Certificate.Upper: about what a higher limit is worth.
	Multiplier float64
	Limit      float64
	Points     []Point
	Stop       stop.Reason
}

const (
	// defaultSolves is MaxSolves where that is 0.
	defaultSolves = 60
	// closeLeast is the share of the largest cost of an episode to which the least cost is solved.
	closeLeast = 1e-4
	// keeps is the share of the largest cost of an episode by which a limit may be exceeded.
	keeps = 1e-9

	title = "constrained solver"
)

// InfeasibleError says that no policy keeps to the limit.
type InfeasibleError struct {
	Model       string
	Cost        string
	Limit       float64
	Least, Most float64 // the smallest limit that a policy keeps is between them
}

func (e *InfeasibleError) Error() string {
	if e.Least > e.Limit {
		return fmt.Sprintf("model %q: no policy has an expected %s of %v or less, want a limit of %v at least (%v is known to be enough)", e.Model, e.Cost, e.Limit, e.Least, e.Most)
	}
	return fmt.Sprintf("model %q: no policy was found with an expected %s of %v or less, want a limit of %v, or an Inner solver with closer bounds: the least is between %v and that", e.Model, e.Cost, e.Limit, e.Most, e.Least)
}

// Solve looks for a policy of m within the limit. Where ctx ends, it returns what it has found, with bounds that hold; its error before there is a policy
// within the limit. Other errors are an *InfeasibleError where no policy keeps to the limit, an *bcpace.InputError for parameters, and those of the inner
// solver.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*Solution, error) {
	list, err := s.Curve(ctx, m, []float64{s.Limit}, c)
	if len(list) == 0 {
		return nil, err
	}
	return list[0], err
}

// Curve is Solve for several limits, in place of Limit, each of which makes use of what was found for those before.
func (s Solver) Curve(ctx context.Context, m bcpace.Model, limits []float64, c bcpace.Control) ([]*Solution, error) {
	x, err := s.begin(m, c)
	if err != nil {
		return nil, err
	}
	for _, d := range limits {
		if !(d >= 0) || math.IsInf(d, 1) {
			return nil, bcpace.In("constrained solver").Bad("Limit", d, "a cost of 0 or more")
		}
	}
	var list []*Solution
	for _, d := range limits {
		found, err := x.within(ctx, d)
		if err != nil {
			return list, err
		}
		list = append(list, found)
	}
	return list, nil
}

// begin checks the parameters.
func (s Solver) begin(m bcpace.Model, c bcpace.Control) (*search, error) {
	set, err := controller.Settings{Title: title, Epsilon: s.Epsilon, Most: s.MaxSolves, Episodes: s.Episodes, Delta: s.Delta}.Checked(m, c, "MaxSolves", defaultSolves)
	if err = cmp.Or(err, s.Cost.check()); err != nil {
		return nil, err
	}
	s.Cost.Name = cmp.Or(s.Cost.Name, "cost")
	spec := m.Spec()
	x := &search{Solver: s, cost: s.Cost.of(len(spec.Axes)), set: set, model: m, inner: controller.Inner{Title: title, Control: c}, all: s.Cost.Most * spec.EffectiveHorizon(), prior: make(bcpace.Belief, len(spec.Latents))}
	m.Prior(x.prior)
	x.lo, x.hi = solverkit.RangeOfReturns(m)
	return x, nil
}

// search is a Solve under way.
type search struct {
	Solver
	cost   controller.Cost
	set    controller.Settings
	model  bcpace.Model
	inner  controller.Inner
	prior  bcpace.Belief
	lo, hi float64 // of returns
	all    float64 // the largest cost of an episode

	members   []controller.Member
	points    []Point
	simulated bool // some policy was
}

// within searches for one limit.
func (x *search) within(ctx context.Context, d float64) (*Solution, error) {
	for next, again := 0.0, false; ; {
		if again || !x.solved(next) {
			again = false
			if err := x.solve(ctx, next); err != nil {
				if found := x.solution(d); found != nil && ctx.Err() != nil {
					found.Stop = runs.Plan{}.Spent(ctx, 0, 0)
					return found, nil
				}
				return nil, err
			}
		}
		found := x.solution(d)
		if found == nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if i := slices.IndexFunc(x.points, func(p Point) bool { return math.IsInf(p.Multiplier, 1) }); i >= 0 {
				return nil, &InfeasibleError{x.model.Spec().Name, x.Cost.Name, d, max(-x.points[i].Upper, 0), x.points[i].Cost}
			}
			next = math.Inf(1)
			continue
		}
		if report := x.inner.Control.Progress; report != nil {
			report(bcpace.Progress{Episodes: len(x.points), Value: found.Certificate.Upper, Gap: found.Certificate.Gap(), Epsilon: x.Epsilon})
		}
		more, ok := x.slope(found)
		switch {
		case found.Certificate.Gap() <= x.Epsilon:
			found.Stop = stop.Certified
		case ctx.Err() != nil:
			found.Stop = runs.Plan{}.Spent(ctx, 0, 0)
		case len(x.points) >= x.set.Most:
			found.Stop = stop.Episodes
		case !ok || x.solved(more):
			if again, found.Stop = x.inner.Stalled(); again {
				next = more
				continue
			}
		default:
			next = more
			continue
		}
		return found, nil
	}
}

// solved reports whether a multiplier was tried.
func (x *search) solved(λ float64) bool {
	return slices.ContainsFunc(x.points, func(p Point) bool {
		return p.Multiplier == λ || !math.IsInf(p.Multiplier, 1) && math.Abs(p.Multiplier-λ) <= 1e-9*p.Multiplier
	})
}

// solve adds what the inner solver says for a multiplier.
func (x *search) solve(ctx context.Context, λ float64) error {
	k := len(x.points)
	weight, price := 1.0, λ
	if math.IsInf(λ, 1) {
		weight, price = 0, 1
	}
	m := priced(x.model, weight, price, x.cost, x.Cost.Most)
	solver := x.Inner
	if solver == nil {
		solver = certified.Solver{Epsilon: x.Epsilon / 8}
		if math.IsInf(λ, 1) { // its rewards are costs
			solver = certified.Solver{Epsilon: closeLeast * x.all}
		}
	}
	found, member, err := x.inner.Solve(ctx, solver, m, x.model, fmt.Sprintf("multiplier %d", k+1))
	if err != nil {
		return err
	}
	c := found.Certificate
	p := Point{Multiplier: λ, Upper: c.Upper, UpperBy: c.UpperBy, Assumes: c.Assumes}
	if p.Return, p.Cost, err = x.worth(ctx, &member, λ, k); err != nil {
		return err
	}
	x.members, x.points = append(x.members, member), append(x.points, p)
	return nil
}
