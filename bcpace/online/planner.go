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
)

// DefaultSimulations is how many simulations a decision has if its budget says nothing.
const DefaultSimulations = 1000

// Search is the working memory of a planner, such as a tree. It is for one goroutine.
type Search interface {
	// Root begins a decision at (s, b). What is known of it stays known.
	Root(s []float64, b bcpace.Belief)
	// Simulate does one simulation, or one trial of a search. It reports false where more of
	// them change nothing. If ctx ends before, it soon returns ctx's error, and what it has
	// begun does not count.
	Simulate(ctx context.Context, rng *rand.Rand) (more bool, err error)
	// Decide sets Action, and of Actions, Q, Visits, Lower, Upper and Depth what there is.
	Decide(d *bcpace.Decision)
	// Advance says what followed an action at the root.
	Advance(action int, next []float64)
	// Forget forgets everything about the decisions before.
	Forget()
}

// Shower is a Search with a tree to show.
type Shower interface {
	Search
	// Top is Nodes of bcpace.PolicyAbilities.
	Top(most int) ([]bcpace.SearchNode, error)
}

// Planner is a policy that plans (bcpace.PolicyAbilities.Plan), which a Search makes. It keeps what the search knows from step
// to step of an episode.
type Planner struct {
	spec     bcpace.Spec
	budget   bcpace.Budget
	make     func() Search
	search   Search
	followed bool // Observe has said what followed the last decision
}

// New returns the planner of a model with that description; make makes a search for each
// goroutine.
func New(spec bcpace.Spec, budget bcpace.Budget, make func() Search) *Planner {
	if budget.Simulations == 0 && budget.Time == 0 {
		budget.Simulations = DefaultSimulations
	}
	return &Planner{spec: spec, budget: budget, make: make, search: make()}
}

// Plan is bcpace.PolicyAbilities.Plan.
func (p *Planner) Plan(ctx context.Context, s []float64, b bcpace.Belief, rng *rand.Rand) (d bcpace.Decision, err error) {
	d = bcpace.Decision{Action: -1, Lower: math.Inf(-1), Upper: math.Inf(1), Timed: p.budget.Time > 0}
	if err := cmp.Or(p.checkCall(ctx, rng), CheckPoint(p.spec, s, b)); err != nil {
		return d, err
	}
	defer p.guard(&d, &err, s)
	if !p.followed {
		p.search.Forget()
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
func (p *Planner) decide(d *bcpace.Decision) {
	p.search.Decide(d)
	if len(d.Actions) > 0 || p.spec.HasBox() {
		return
	}
	for a := range p.spec.Actions {
		d.Actions, d.Q, d.Visits = append(d.Actions, a), append(d.Q, math.NaN()), append(d.Visits, 0)
	}
}

// checkCall returns an *bcpace.InputError for what Plan cannot do without.
func (p *Planner) checkCall(ctx context.Context, rng *rand.Rand) error {
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

// CheckPoint returns an *bcpace.InputError unless s and b are a state and belief of the model
// with that description.
func CheckPoint(spec bcpace.Spec, s []float64, b bcpace.Belief) error {
	switch {
	case len(s) != len(spec.Axes):
		return in(spec).Bad("the state", s, fmt.Sprintf("%d numbers, one for each axis", len(spec.Axes)))
	case len(b) != len(spec.Latents):
		return in(spec).Bad("the belief", fmt.Sprintf("%d long", len(b)), fmt.Sprintf("%d, one probability for each latent", len(spec.Latents)))
	}
	if off, want := spec.OffAxes(s); off != "" {
		return in(spec).Bad("the state", fmt.Sprint(s)+", "+off, want)
	}
	return b.Validate()
}

// guard, deferred, turns a panic of the model into a fault.
func (p *Planner) guard(d *bcpace.Decision, err *error, s []float64) {
	x := recover()
	if x == nil {
		return
	}
	*err = p.spec.Panicked(x, "a simulation from there", s, -1, -1)
	d.Action = -1
	p.search = p.make() // this one may be broken
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
	p.search.Advance(action, next)
	p.followed = true
}

// Fork is bcpace.PolicyAbilities.Fork.
func (p *Planner) Fork() bcpace.Policy {
	q := *p
	q.search, q.followed = p.make(), false
	return &q
}

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
