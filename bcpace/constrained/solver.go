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
	defaultSolves   = 60
	defaultEpisodes = 10_000
	defaultDelta    = 0.05
	// closeLeast is the share of the largest cost of an episode to which the least cost is solved.
	closeLeast = 1e-4
	// keeps is the share of the largest cost of an episode by which a limit may be exceeded.
	keeps = 1e-9
	// leftTime is the share of the time that is left which a call of the inner solver leaves for what follows it.
	leftTime = 0.7
	// lastTime is that share where the multiplier that is best to solve next was solved with too little time.
	lastTime = 0.2
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
	bad := bcpace.In("constrained solver").Bad
	if err := cmp.Or(c.Check(), bcpace.Validate(m), s.Cost.check()); err != nil {
		return nil, err
	}
	if err := solverkit.NeedDiscount(m.Spec(), "the constrained solver"); err != nil {
		return nil, err
	}
	switch {
	case !(s.Epsilon > 0) || math.IsInf(s.Epsilon, 1):
		return nil, bad("Epsilon", s.Epsilon, "a number above 0, in reward units")
	case s.MaxSolves < 0:
		return nil, bad("MaxSolves", s.MaxSolves, "1 or more, or 0 for the default")
	case s.Episodes < 0:
		return nil, bad("Episodes", s.Episodes, "1 episode or more, or 0 for the default")
	case !(s.Delta >= 0 && s.Delta < 1):
		return nil, bad("Delta", s.Delta, "a probability in (0, 1), or 0 for the default")
	}
	s.Cost.Name = cmp.Or(s.Cost.Name, "cost")
	s.MaxSolves, s.Episodes, s.Delta = cmp.Or(s.MaxSolves, defaultSolves), cmp.Or(s.Episodes, defaultEpisodes), cmp.Or(s.Delta, defaultDelta)
	x := &search{Solver: s, model: m, leave: leftTime, slip: keeps * s.Cost.Most * m.Spec().EffectiveHorizon(), control: c, prior: make(bcpace.Belief, len(m.Spec().Latents))}
	m.Prior(x.prior)
	if x.lo, x.hi = solverkit.RangeOfReturns(m); math.IsInf(x.hi-x.lo, 1) {
		return nil, bad("the model", "of returns without a bound", "one with RewardMin and RewardMax")
	}
	return x, nil
}

// search is a Solve under way.
type search struct {
	Solver
	model   bcpace.Model
	control bcpace.Control
	prior   bcpace.Belief
	lo, hi  float64 // of returns
	slip    float64 // by which costs may be beyond a limit

	members []controller.Member
	points  []Point
	basis   bcpace.Basis // of what policies earn and cost
	leave   float64      // leftTime or lastTime
	cut     bool         // the last multiplier had too little time
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
		if report := x.control.Progress; report != nil {
			report(bcpace.Progress{Episodes: len(x.points), Value: found.Certificate.Upper, Gap: found.Certificate.Gap(), Epsilon: x.Epsilon})
		}
		more, ok := x.slope(found)
		switch {
		case found.Certificate.Gap() <= x.Epsilon:
			found.Stop = stop.Certified
		case ctx.Err() != nil:
			found.Stop = runs.Plan{}.Spent(ctx, 0, 0)
		case len(x.points) >= x.MaxSolves:
			found.Stop = stop.Episodes
		case (!ok || x.solved(more)) && x.cut && x.leave == leftTime: // with nearly all the time that is left
			x.leave, next, again = lastTime, more, true
			continue
		case (!ok || x.solved(more)) && x.cut:
			found.Stop = stop.Deadline
		case !ok || x.solved(more):
			found.Stop = stop.Rounding
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
	m := priced(x.model, weight, price, x.Cost)
	solver := x.Inner
	if solver == nil {
		solver = certified.Solver{Epsilon: x.Epsilon / 8}
		if math.IsInf(λ, 1) { // its rewards are costs
			solver = certified.Solver{Epsilon: closeLeast * x.Cost.Most * m.Spec().EffectiveHorizon()}
		}
	}
	inner := x.control
	inner.Checkpoint = nil
	inner.Progress = func(p bcpace.Progress) {
		if x.control.Progress != nil {
			x.control.Progress(bcpace.Progress{Phase: cmp.Or(p.Phase, fmt.Sprintf("multiplier %d", k+1)), Share: -1})
		}
	}
	solving, cancel := runs.LeaveTime(ctx, x.leave)
	defer cancel()
	found, err := solver.Solve(solving, m, inner)
	if err != nil {
		return err
	}
	x.cut = found.Stop == stop.Deadline
	_, most := solverkit.RangeOfReturns(m)
	p := Point{Multiplier: λ, Upper: min(found.Certificate.Upper, most), UpperBy: found.Certificate.UpperBy}
	if p.UpperBy == bcpace.NotKnown || math.IsNaN(p.Upper) {
		return &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: "the constrained solver", Need: "an upper bound of the optimal value from " + solver.Name() + ", such as certified gives"}
	}
	played, err := bcpace.ForPolicy(x.model, found.Policy)
	if err != nil {
		return err
	}
	member := controller.Member{Model: played, Policy: found.Policy}
	if p.Return, p.Cost, err = x.worth(ctx, &member, λ, k); err != nil {
		return err
	}
	x.members, x.points = append(x.members, member), append(x.points, p)
	return nil
}
