package online

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"bayescpace/bcpace"
)

// DefaultSimulations is how many simulations a decision has if its budget says nothing.
const DefaultSimulations = 1000

// Search is the working memory of a planner, such as a tree, for beliefs of kind B: those over a list of latents, or
// those over a hidden vector. It is for one goroutine.
type Search[B any] interface {
	// Root begins a decision at (s, b). A Keeper goes on knowing what it knows of it.
	Root(s []float64, b B)
	// Simulate does one simulation, or one trial of a search. It reports false where more of
	// them change nothing. If ctx ends before, it soon returns ctx's error, and what it has
	// begun does not count.
	Simulate(ctx context.Context, rng *rand.Rand) (more bool, err error)
	// Decide sets Action, and of Actions, Q, Visits, Lower, Upper and Depth what there is.
	Decide(d *bcpace.Decision)
}

// Keeper is a Search that keeps what it knows from step to step of an episode.
type Keeper interface {
	// Advance says what followed an action at the root.
	Advance(action int, next []float64)
	// Forget forgets everything about the decisions before.
	Forget()
}

// Shower is a Search with a tree to show.
type Shower interface {
	// Top is bcpace.PolicyAbilities.Nodes.
	Top(most int) ([]bcpace.SearchNode, error)
}

// decider makes the decisions of a planner by a Search, each within a budget.
type decider[B any] struct {
	spec     bcpace.Spec
	budget   bcpace.Budget
	make     func() Search[B]
	search   Search[B]
	followed bool // Observe has said what followed the last decision
}

// newDecider returns the decider of a model with that description; make makes a search for each goroutine.
func newDecider[B any](spec bcpace.Spec, budget bcpace.Budget, make func() Search[B]) decider[B] {
	if budget.Simulations == 0 && budget.Time == 0 {
		budget.Simulations = DefaultSimulations
	}
	return decider[B]{spec: spec, budget: budget, make: make, search: make()}
}

// fork returns the decider for another goroutine.
func (p *decider[B]) fork() decider[B] { return newDecider(p.spec, p.budget, p.make) }

// plan decides at a state and belief that check has no error of.
func (p *decider[B]) plan(ctx context.Context, s []float64, b B, rng *rand.Rand, check func() error) (d bcpace.Decision, err error) {
	d = bcpace.Decision{Action: -1, Lower: math.Inf(-1), Upper: math.Inf(1), Timed: p.budget.Time > 0}
	if err := cmp.Or(p.checkCall(ctx, rng), check()); err != nil {
		return d, err
	}
	defer p.guard(&d, &err, s)
	if k, ok := p.search.(Keeper); ok && !p.followed {
		k.Forget()
	}
	p.followed = false
	p.search.Root(s, b)
	begin, within := time.Now(), ctx
	if p.budget.Time > 0 {
		var stop context.CancelFunc
		within, stop = context.WithTimeout(ctx, p.budget.Time)
		defer stop()
	}
	for more := true; more; d.Simulations++ {
		if p.budget.Simulations > 0 && d.Simulations >= p.budget.Simulations || p.budget.Time > 0 && time.Since(begin) >= p.budget.Time {
			break
		}
		if err = ctx.Err(); err != nil {
			break
		}
		if more, err = p.search.Simulate(within, rng); err != nil {
			break
		}
	}
	p.decide(&d)
	switch {
	case err == nil || ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return d, err
	case within.Err() != nil && errors.Is(err, within.Err()): // the time is spent
		return d, nil
	}
	d.Action = -1
	return d, err
}

// decide sets the decision so far. A list of actions is there whole, also where the search has
// compared none.
func (p *decider[B]) decide(d *bcpace.Decision) {
	p.search.Decide(d)
	if len(d.Actions) > 0 || p.spec.HasBox() {
		return
	}
	for a := range p.spec.Actions {
		d.Actions, d.Q, d.Visits = append(d.Actions, a), append(d.Q, math.NaN()), append(d.Visits, 0)
	}
}

// checkCall returns an *bcpace.InputError for what a decision cannot do without.
func (p *decider[B]) checkCall(ctx context.Context, rng *rand.Rand) error {
	what := ""
	switch {
	case ctx == nil:
		what = "the context"
	case rng == nil:
		what = "the random numbers"
	default:
		return nil
	}
	return in(p.spec).Bad(what, "nil", "one that is not nil")
}

// in is what errors of a decision belong to.
func in(spec bcpace.Spec) bcpace.In { return bcpace.In(fmt.Sprintf("planning in model %q", spec.Name)) }

// checkState returns an *bcpace.InputError for a state with another number of entries.
func checkState(spec bcpace.Spec, s []float64) error {
	if len(s) == len(spec.Axes) {
		return nil
	}
	return in(spec).Bad("the state", s, fmt.Sprintf("%d numbers, one for each axis", len(spec.Axes)))
}

// guard, deferred, turns a panic of the model into a fault.
func (p *decider[B]) guard(d *bcpace.Decision, err *error, s []float64) {
	x := recover()
	if x == nil {
		return
	}
	*err = p.spec.Panicked(x, "a simulation from there", s, -1, -1)
	d.Action = -1
	p.search = p.make() // this one may be broken
}
