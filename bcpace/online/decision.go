// Package online is what planners share that search at every decision, within a budget. Each
// has a package of its own below this one.
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
	"bayescpace/bcpace/hidden"
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
	if ctx == nil || rng == nil {
		return d, in(p.spec).Bad("the context or the random numbers", "nil", "some that are not nil")
	}
	if err := check(); err != nil {
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

// Planner is a policy that plans (bcpace.PolicyAbilities.Plan), which a Search makes. It keeps what the search knows from step
// to step of an episode.
type Planner struct{ decider[bcpace.Belief] }

// New returns the planner of a model with that description; make makes a search for each
// goroutine.
func New(spec bcpace.Spec, budget bcpace.Budget, make func() Search[bcpace.Belief]) *Planner {
	return &Planner{newDecider(spec, budget, make)}
}

// Plan is bcpace.PolicyAbilities.Plan.
func (p *Planner) Plan(ctx context.Context, s []float64, b bcpace.Belief, rng *rand.Rand) (bcpace.Decision, error) {
	return p.plan(ctx, s, b, rng, func() error { return CheckPoint(p.spec, s, b) })
}

// CheckPoint returns an *bcpace.InputError unless s and b are a state and belief of the model
// with that description.
func CheckPoint(spec bcpace.Spec, s []float64, b bcpace.Belief) error {
	if err := checkState(spec, s); err != nil {
		return err
	}
	if len(b) != len(spec.Latents) {
		return in(spec).Bad("the belief", fmt.Sprintf("%d long", len(b)), fmt.Sprintf("%d, one probability for each latent", len(spec.Latents)))
	}
	if off, want := spec.OffAxes(s); off != "" {
		return in(spec).Bad("the state", fmt.Sprint(s)+", "+off, want)
	}
	return b.Validate()
}

// Nodes is bcpace.PolicyAbilities.Nodes.
func (p *Planner) Nodes(most int) (nodes []bcpace.SearchNode, err error) {
	defer p.guard(&bcpace.Decision{}, &err, nil)
	if x, ok := p.search.(Shower); ok {
		return x.Top(most)
	}
	return nil, nil
}

// Act implements bcpace.Policy: the Action of Plan.
func (p *Planner) Act(s []float64, b bcpace.Belief, rng *rand.Rand) int {
	d, _ := p.Plan(context.Background(), s, b, rng)
	return d.Action
}

// Begin is bcpace.PolicyAbilities.Begin.
func (p *Planner) Begin([]float64, bcpace.Belief) { p.followed = false }

// Observe is bcpace.PolicyAbilities.Observe.
func (p *Planner) Observe(action int, _ float64, next []float64) {
	if k, ok := p.search.(Keeper); ok {
		k.Advance(action, next)
	}
	p.followed = true
}

// Fork is bcpace.PolicyAbilities.Fork.
func (p *Planner) Fork() bcpace.Policy { return &Planner{p.fork()} }

// SameBelief reports whether beliefs differ by no more than rounding. Where they do, what was
// found behind one of them says nothing of the other, which may even allow what it rules out.
func SameBelief(a, b bcpace.Belief) bool {
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-9 {
			return false
		}
	}
	return true
}

// VectorPlanner is a hidden.Planner that a Search makes. Each decision is on its own.
type VectorPlanner struct{ decider[hidden.Belief] }

var (
	_ hidden.Planner = (*VectorPlanner)(nil)
	_ hidden.Forker  = (*VectorPlanner)(nil)
)

// NewVectors returns a planner for a hidden vector; make makes a search for each goroutine. The error is a *bcpace.InputError for a
// model or a budget that cannot be used.
func NewVectors(m *hidden.Model, budget bcpace.Budget, make func() Search[hidden.Belief]) (*VectorPlanner, error) {
	if err := cmp.Or(m.Validate(), CheckBudget(budget)); err != nil {
		return nil, err
	}
	return &VectorPlanner{newDecider(m.Spec.Spec, budget, make)}, nil
}

// Plan implements hidden.Planner.
func (p *VectorPlanner) Plan(ctx context.Context, s []float64, b hidden.Belief, rng *rand.Rand) (bcpace.Decision, error) {
	return p.plan(ctx, s, b, rng, func() error {
		if b == nil {
			return in(p.spec).Bad("the belief", "nil", "one that is not nil")
		}
		return checkState(p.spec, s)
	})
}

// Act implements hidden.Policy.
func (p *VectorPlanner) Act(ctx context.Context, s []float64, b hidden.Belief, rng *rand.Rand) (int, error) {
	d, err := p.Plan(ctx, s, b, rng)
	return d.Action, err
}

// Fork implements hidden.Forker.
func (p *VectorPlanner) Fork() hidden.Policy { return &VectorPlanner{p.fork()} }
