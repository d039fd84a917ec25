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
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// Solver looks for the policy that earns most at a limited cost. Cost, Limit and Epsilon must be given; other zero values are useful.
type Solver struct {
	Cost Cost
	// Limit is d: the expected discounted cost from the start may be that at most. 0 forbids, in a Finite model, what may cost anything.
	Limit float64
	// Epsilon is ε > 0, in reward units: the search ends when the bounds of the constrained optimum are at most ε apart.
	Epsilon float64
	// Inner solves the model for one multiplier, and gives an upper bound of the optimal value there and a policy. nil means package
	// certified with an eighth of Epsilon, and for the policy of least cost with a ten-thousandth of the largest cost, or less where the limit
	// needs it.
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
	// Multiplier is λ, and +Inf for the policy of least cost, or for the one without a cost where Limit is 0.
	Multiplier float64
	// Upper is an upper bound of the optimal value with rewards r − λ·cost; with λ = +Inf, of minus the least cost, or of what is earned
	// without a cost.
	Upper   float64
	UpperBy bcpace.Basis
	Assumes string // of an upper bound ByAssumption
	// Return is a lower bound of what the policy found earns, and Cost an upper bound of what it costs.
	Return, Cost float64
	// Weight is its share of the mixture.
	Weight float64
}

// Tradeoff is the Record of a solution: what a Solver has found beside its Policy, which draws one of at most two policies for each episode. In a
// model with a horizon that reads the steps left (bcpace.ForPolicy). The Certificate bounds the constrained optimum: Policy earns Lower at
// least, and no policy within the limit earns more than Upper.
type Tradeoff struct {
	// Cost is an upper bound of what Policy costs. It is at most the limit, but for the rounding of that bound.
	Cost float64
	// Multiplier is the λ of Certificate.Upper: about what a higher limit is worth. It is +Inf where the limit is 0 and forbids something.
	Multiplier float64
	Limit      float64
	Points     []Point
}

// Of returns what was found beside the policy of a solution; nil for that of another solver.
func Of(found *bcpace.Solution) *Tradeoff {
	x, _ := found.Record.(*Tradeoff)
	return x
}

const (
	// defaultSolves is MaxSolves where that is 0.
	defaultSolves = 60
	// closeLeast is the share of the largest cost of an episode to which the least cost is solved first, and closestLeast last: each time
	// to a hundredth of it, until the limit is above the least cost or below it.
	closeLeast   = 1e-4
	closestLeast = 1e-10

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

// Solve looks for a policy of m within the limit; see Of. Where ctx ends, it returns what it has found, with bounds that hold; its error before there is a policy
// within the limit. Other errors are an *InfeasibleError where no policy keeps to the limit, an *bcpace.InputError for parameters, and those of the inner
// solver.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	list, err := s.Curve(ctx, m, []float64{s.Limit}, c)
	if len(list) == 0 {
		return nil, err
	}
	return list[0], err
}

// Curve is Solve for several limits, in place of Limit, each of which makes use of what was found for those before.
func (s Solver) Curve(ctx context.Context, m bcpace.Model, limits []float64, c bcpace.Control) ([]*bcpace.Solution, error) {
	x, err := s.begin(ctx, m, c)
	if err != nil {
		return nil, err
	}
	for _, d := range limits {
		if !(d >= 0) || math.IsInf(d, 1) {
			return nil, bcpace.In(title).Bad("Limit", d, "a cost of 0 or more")
		}
	}
	var list []*bcpace.Solution
	for _, d := range limits {
		found, err := x.at(ctx, d)
		if err != nil {
			return list, err
		}
		list = append(list, found)
	}
	return list, nil
}

// begin checks the parameters.
func (s Solver) begin(ctx context.Context, m bcpace.Model, c bcpace.Control) (*search, error) {
	set, err := controller.Settings{Title: title, Epsilon: s.Epsilon, Most: s.MaxSolves, Episodes: s.Episodes, Delta: s.Delta}.Checked(m, c, "MaxSolves", defaultSolves)
	if err = cmp.Or(err, s.Cost.check()); err != nil {
		return nil, err
	}
	asked := s
	s.Cost.Name = cmp.Or(s.Cost.Name, "cost")
	spec := m.Spec()
	x := &search{Solver: s, asked: asked, cost: s.Cost.of(len(spec.Axes)), model: m, inner: controller.Inner{Settings: set, Control: c}, close: closeLeast, prior: make(bcpace.Belief, len(spec.Latents))}
	m.Prior(x.prior)
	x.lo, x.hi = solverkit.RangeOfReturns(m)
	if f, ok := bcpace.AsFinite(bcpace.KeepHorizon(m)); ok {
		if x.graph, x.Cost.Most, err = x.list(ctx, f); err != nil {
			return nil, err
		}
		x.onlyPossible()
	}
	x.all = x.Cost.Most * spec.EffectiveHorizon()
	return x, nil
}

// list lists what may happen, and returns the most that a step costs; what Cost says of that where the graph is too large.
func (se *search) list(ctx context.Context, f bcpace.Finite) (g *controller.SupportGraph, most float64, err error) {
	spec := f.Spec()
	defer spec.Guard(&err, "Cost.Of", nil, -1, -1)
	g, err = controller.SupportOf(ctx, f, func(s []float64, action int, next, weights, reward []float64) (cost float64) {
		for φ, w := range weights {
			if w > 0 {
				cost = max(cost, se.cost(s, action, next, φ, reward[φ]))
			}
		}
		most = max(most, cost)
		return cost
	})
	if g == nil {
		most = se.Cost.Most
	}
	return g, most, err
}

// onlyPossible has what costs be asked for no step from a state, under a latent, in which no episode can be.
func (se *search) onlyPossible() {
	stated, latents := se.cost, len(se.prior)
	f, ok := bcpace.AsFinite(se.model)
	if !ok || se.graph == nil {
		return
	}
	possible := make([]bool, f.NumStates()*latents)
	s := make([]float64, len(se.graph.Spec.Axes))
	axes := len(f.Spec().Axes)
	for n, number := range se.graph.State {
		se.graph.Model.StateAt(s, int(number))
		for φ := range latents {
			if se.graph.IsPossible(int32(n), φ) {
				possible[f.StateIndex(s[:axes:axes])*latents+φ] = true
			}
		}
	}
	se.cost = func(s []float64, action int, next []float64, latent int, reward float64) float64 {
		if n := f.StateIndex(s[:axes:axes]); n < 0 || !possible[n*latents+latent] {
			return 0
		}
		return min(stated(s, action, next, latent, reward), se.Cost.Most)
	}
}

// search is a Solve under way.
type search struct {
	Solver // with what Cost costs at most in this model
	asked  Solver
	cost   controller.StepCost
	model  bcpace.Model
	inner  controller.Inner
	prior  bcpace.Belief
	lo, hi float64                  // of returns
	all    float64                  // the largest cost of an episode
	graph  *controller.SupportGraph // pays what a step costs at most; nil where the model is not Finite, or too large
	close  float64                  // the share of all to which the least cost is solved

	members   []controller.Member
	points    []Point
	rounding  []float64 // by point, of its Cost
	simulated bool      // some policy was
}

// at searches for one limit.
func (se *search) at(ctx context.Context, d float64) (*bcpace.Solution, error) {
	if d > 0 || se.graph == nil || se.Cost.Most == 0 {
		return se.within(ctx, d)
	}
	f, least := newFree(se.graph)
	if f != nil {
		return se.without(ctx, f)
	}
	if err := se.solve(ctx, math.Inf(1)); err != nil {
		return nil, err
	}
	p := se.points[len(se.points)-1]
	return nil, &InfeasibleError{se.model.Spec().Name, se.Cost.Name, d, max(-p.Upper, least), max(p.Cost, least)}
}

// without searches among the policies without a cost.
func (se *search) without(ctx context.Context, f *free) (*bcpace.Solution, error) {
	m := f.model()
	solver := cmp.Or[bcpace.Solver](se.Inner, certified.Solver{Epsilon: se.Epsilon / 2})
	found, member, err := se.inner.Solve(ctx, solver, m, m, "without a cost")
	if err != nil {
		return nil, err
	}
	p := Point{Multiplier: math.Inf(1), Upper: found.Certificate.Upper, UpperBy: found.Certificate.UpperBy, Assumes: found.Certificate.Assumes, Weight: 1}
	y := *se
	y.cost = func([]float64, int, []float64, int, float64) float64 { return 0 } // there is none
	p.Return, _, _, err = y.worth(ctx, &member, 0, 0)
	if se.simulated = y.simulated; err != nil {
		return nil, err
	}
	member.Model, member.Policy = f.Model, newPlayer(f, member.Policy)
	if member.Graph != nil {
		member.Graph = member.Graph.On(f.Model, f.number, f.does)
	}
	c := bcpace.Certificate{Lower: p.Return, Upper: p.Upper, UpperBy: p.UpperBy, Assumes: p.Assumes}
	se.inner.Certify(&c, se.simulated)
	why := found.Stop
	if c.Gap() <= se.Epsilon {
		why = stop.Certified
	} else if why == stop.Certified { // of the values, and not of what the policy is known to earn
		why = stop.Rounding
	}
	mixture := controller.NewMixture([]controller.Member{member}, []float64{1})
	return se.solution(&candidate{mixture, c, Tradeoff{Multiplier: math.Inf(1), Points: []Point{p}}}, why)
}

// solution returns what was found, or an error where its bounds cross.
func (se *search) solution(best *candidate, why stop.Reason) (*bcpace.Solution, error) {
	_, err := best.bounds.Checked(se.model.Spec().Name)
	s := se.asked
	s.Limit = best.Limit
	return &bcpace.Solution{Solver: s, Spec: se.model.Spec(), Objective: s.Objective(), Policy: bcpace.PolicyOf(bcpace.KeepHorizon(se.model), best.policy),
		Value: best.bounds.Lower, Certificate: best.bounds, Trace: slices.Clone(se.inner.Trace), Stop: why, Record: &best.Tradeoff}, err
}

// within searches for one limit among mixtures of the policies for several multipliers.
func (se *search) within(ctx context.Context, d float64) (*bcpace.Solution, error) {
	for next, again := 0.0, false; ; {
		if again || !se.solved(next) {
			again = false
			if err := se.solve(ctx, next); err != nil {
				if best := se.mixed(d); best != nil && ctx.Err() != nil {
					return se.solution(best, stop.Of(ctx))
				}
				return nil, err
			}
		}
		best := se.mixed(d)
		if best == nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			next = math.Inf(1)
			if se.solved(next) {
				if least, most := se.least(); least > d || se.Inner != nil || se.close <= closestLeast {
					return nil, &InfeasibleError{se.model.Spec().Name, se.Cost.Name, d, least, most}
				}
				se.close, again = se.close/100, true
			}
			continue
		}
		bounds := best.bounds
		se.inner.Report(bcpace.Progress{Episodes: len(se.points), Value: bounds.Upper, Gap: bounds.Gap(), Epsilon: se.Epsilon})
		more, ok := se.slope(best)
		stale := !ok || se.solved(more)
		if why := se.inner.End(ctx, bounds.Gap(), len(se.points), !stale); why != "" {
			return se.solution(best, why)
		}
		next, again = more, stale
	}
}

// least returns bounds of the least cost.
func (se *search) least() (low, high float64) {
	high = math.Inf(1)
	for _, p := range se.points {
		if math.IsInf(p.Multiplier, 1) {
			low = max(low, -p.Upper)
		}
		high = min(high, p.Cost)
	}
	return low, high
}

// solved reports whether a multiplier was tried.
func (se *search) solved(λ float64) bool {
	return slices.ContainsFunc(se.points, func(p Point) bool {
		return p.Multiplier == λ || !math.IsInf(p.Multiplier, 1) && math.Abs(p.Multiplier-λ) <= 1e-9*p.Multiplier
	})
}

// solve adds what the inner solver says for a multiplier.
func (se *search) solve(ctx context.Context, λ float64) error {
	k := len(se.points)
	weight, price := 1.0, λ
	if math.IsInf(λ, 1) {
		weight, price = 0, 1
	}
	m := priced(se.model, weight, price, se.cost, se.Cost.Most)
	solver := se.Inside()
	if se.Inner == nil && math.IsInf(λ, 1) { // its rewards are costs
		solver = certified.Solver{Epsilon: se.close * se.all}
	}
	found, member, err := se.inner.Solve(ctx, solver, m, se.model, fmt.Sprintf("multiplier %d", k+1))
	if err != nil {
		return err
	}
	c := found.Certificate
	p := Point{Multiplier: λ, Upper: c.Upper, UpperBy: c.UpperBy, Assumes: c.Assumes}
	rounding := 0.0
	if p.Return, p.Cost, rounding, err = se.worth(ctx, &member, λ, k); err != nil {
		return err
	}
	se.members, se.points, se.rounding = append(se.members, member), append(se.points, p), append(se.rounding, rounding)
	return nil
}
