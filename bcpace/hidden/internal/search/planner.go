// Package search is what planners share that search over a hidden vector at every decision.
package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/online"
)

// ErrSettled ends a decision before its budget.
var ErrSettled = errors.New("more simulations change nothing")

// Search is the working memory of a planner. It is for one goroutine.
type Search interface {
	// Root begins a decision at (s, b).
	Root(s []float64, b hidden.Belief, rng *rand.Rand) error
	// Simulate does one simulation. If ctx ends before, it soon returns ctx's error; and ErrSettled where more
	// simulations change nothing.
	Simulate(ctx context.Context, rng *rand.Rand) error
	// Decide sets Action, Actions, Q, Visits and Depth.
	Decide(d *bcpace.Decision)
}

// Planner is a hidden.Planner that a Search makes.
type Planner struct {
	model  *hidden.Model
	budget bcpace.Budget
	make   func() Search
	search Search
}

var (
	_ hidden.Planner = (*Planner)(nil)
	_ hidden.Forker  = (*Planner)(nil)
)

// New returns a planner for m; make makes a search for each goroutine. The error is a *bcpace.InputError for a
// model or a budget that cannot be used.
func New(m *hidden.Model, budget bcpace.Budget, make func() Search) (*Planner, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if err := online.CheckBudget(budget); err != nil {
		return nil, err
	}
	if budget.Simulations == 0 && budget.Time == 0 {
		budget.Simulations = online.DefaultSimulations
	}
	return &Planner{model: m, budget: budget, make: make, search: make()}, nil
}

// Fork implements hidden.Forker.
func (p *Planner) Fork() hidden.Policy {
	q := *p
	q.search = p.make()
	return &q
}

// Act implements hidden.Policy.
func (p *Planner) Act(ctx context.Context, s []float64, b hidden.Belief, rng *rand.Rand) (int, error) {
	d, err := p.Plan(ctx, s, b, rng)
	return d.Action, err
}

// Plan implements hidden.Planner.
func (p *Planner) Plan(ctx context.Context, s []float64, b hidden.Belief, rng *rand.Rand) (d bcpace.Decision, err error) {
	d = bcpace.Decision{Action: -1, Lower: math.Inf(-1), Upper: math.Inf(1), Timed: p.budget.Time > 0}
	if len(s) != len(p.model.Spec.Axes) || b == nil || rng == nil {
		return d, bcpace.In(fmt.Sprintf("planning in model %q", p.model.Spec.Name)).Bad("the state, belief or random numbers", fmt.Sprintf("%v, %v, %v", s, b, rng),
			fmt.Sprintf("a state of %d numbers, and two that are not nil", len(p.model.Spec.Axes)))
	}
	defer func() {
		if x := recover(); x != nil {
			err, d.Action = p.model.Spec.Panicked(x, "a simulation from there", s, -1, -1), -1
			p.search = p.make() // this one may be broken
		}
	}()
	begin, within := time.Now(), ctx
	if p.budget.Time > 0 {
		var stop context.CancelFunc
		within, stop = context.WithTimeout(ctx, p.budget.Time)
		defer stop()
	}
	if err := p.search.Root(s, b, rng); err != nil {
		return d, err
	}
	for ; p.budget.Simulations == 0 || d.Simulations < p.budget.Simulations; d.Simulations++ {
		if d.Simulations%8 == 0 { // a simulation that ends at once does not look
			if err = within.Err(); err != nil || p.budget.Time > 0 && time.Since(begin) >= p.budget.Time {
				break
			}
		}
		if err = p.search.Simulate(within, rng); errors.Is(err, ErrSettled) {
			d.Simulations++
			err = nil
			break
		} else if err != nil {
			break
		}
	}
	p.search.Decide(&d)
	switch {
	case err == nil || ctx.Err() != nil:
		return d, err
	case within.Err() != nil: // the time is spent
		return d, nil
	}
	d.Action = -1
	return d, err
}
