package online

import (
	"cmp"
	"context"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

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
