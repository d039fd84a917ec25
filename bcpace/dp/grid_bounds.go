package dp

import (
	"context"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/internal/side"
)

// GridBounds are the values that policies have on the grid of an Enumerator when they
// see the latent, from SolveGridBounds. They bound those of the model as far as the
// grid is fine enough.
type GridBounds struct {
	Latent *GridValues // Q(s,φ,a): the most that a policy earns under φ that takes a first
	Worst  *GridValues // the least
	// Fixed has the values of Policies policies in the place of actions: those that
	// take one action for ever, in the order of the actions, then, if there is room,
	// those that are optimal for one latent, in the order of the latents.
	Fixed    *GridValues
	Policies int

	plan *gridPlan
}

// maxFixedValues bounds the values of fixed policies, to half a gigabyte.
const maxFixedValues = 1 << 26

// SolveGridBounds computes GridBounds of m from one list of its transitions. It
// leaves Error and MeanError of the values NaN, see EstimateError. If ctx ends before, it
// returns the latent values so far beside the error of ctx, as SolveGrid does; the others are
// nil. For other errors see SolveGrid.
func SolveGridBounds(ctx context.Context, m bcpace.Enumerator, o GridOptions) (*GridBounds, error) {
	if err := solvable(m, "SolveGridBounds", o.Tolerance); err != nil {
		return nil, err
	}
	actions, latents := len(m.Spec().Actions), len(m.Spec().Latents)
	plan, err := o.plan(ctx, m, 2*actions+latents)
	if err != nil {
		return plan.boundsSoFar(ctx, nil, false), err
	}
	p, err := newGridMDP(ctx, m, NewGrid(m.Spec(), plan.axes), plan.bends)
	if err != nil {
		return plan.boundsSoFar(ctx, nil, false), err
	}
	b := &GridBounds{Latent: plan.values(m, p, actions), Worst: plan.values(m, p, actions), Policies: actions + latents, plan: plan}
	if p.points*p.latents*b.Policies > maxFixedValues {
		b.Policies = actions
	}
	b.Fixed = plan.values(m, p, b.Policies)
	p.phase(ctx, "latent values", -1)
	if _, err := p.Solve(ctx, b.Latent.Table, plan.tolerance); err != nil {
		return plan.boundsSoFar(ctx, b.Latent, false), err
	}
	if err := b.evaluate(ctx, p, plan.tolerance); err != nil {
		return plan.boundsSoFar(ctx, b.Latent, true), err
	}
	negate(p.Reward)
	p.phase(ctx, "worst policy", -1)
	if _, err := p.Solve(ctx, b.Worst.Table, plan.tolerance); err != nil {
		return plan.boundsSoFar(ctx, b.Latent, true), err
	}
	negate(b.Worst.Table)
	return b, nil
}

// soFar returns the best latent values that there are where ctx has ended, nil without any: v,
// with its error if a coarser grid was solved before, or the values of that grid, or of a rough
// one, if those of v, which may be nil, are not whole.
func (p *gridPlan) soFar(ctx context.Context, v *GridValues, whole bool) *GridValues {
	switch {
	case ctx.Err() == nil || p == nil:
		return nil
	case whole && p.coarse != nil:
		v.compare(p.coarse)
	case !whole && p.coarse != nil:
		return p.coarse
	case v == nil:
		return p.rough
	}
	return v
}

// boundsSoFar is soFar as bounds, nil without any.
func (p *gridPlan) boundsSoFar(ctx context.Context, v *GridValues, whole bool) *GridBounds {
	if v = p.soFar(ctx, v, whole); v == nil {
		return nil
	}
	return &GridBounds{Latent: v}
}

// EstimateError sets Error and MeanError of the latent values, as SolveGrid does: by the values
// on a grid of about twice the step, or on the one that says how to lay this one, which it
// returns. The error is that of SolveGrid, or an *InputError for bounds that SolveGridBounds has
// not returned whole.
func (b *GridBounds) EstimateError(ctx context.Context, m bcpace.Enumerator) (coarse *GridValues, err error) {
	if b.plan == nil {
		return nil, bcpace.In("dp.GridBounds.EstimateError").Bad("the bounds", "not whole", "those that SolveGridBounds returns without an error")
	}
	if coarse, err = b.plan.coarser(ctx, m); err != nil {
		return nil, err
	}
	b.Latent.compare(coarse)
	return coarse, nil
}

// evaluate fills Fixed: with a large process one policy after the other, each by all goroutines, and
// otherwise side by side. Each begins with the same values, so that the result is the same for any number.
func (b *GridBounds) evaluate(ctx context.Context, p *latentMDP, tol float64) error {
	each, workers := *p, max(1, p.Workers)
	if p.Iterates() {
		workers = 1
	} else {
		each.Workers = 1
	}
	evaluators := make([]policyEvaluator, workers)
	for first := 0; first < b.Policies; first += workers {
		p.phase(ctx, "fixed policies", float64(first)/float64(b.Policies))
		side.Each(workers, min(workers, b.Policies-first), func(worker, i int) {
			evaluators[worker].evaluate(ctx, &each, b, first+i, tol)
		})
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// policyEvaluator has what the evaluation of one policy after the other uses again.
type policyEvaluator struct {
	values []float64
	action []int32
	chain  mdp.Chain
}

// sweepsAlone is how many sweeps in place the values of a policy have before they are solved for as those of
// a chain, which costs some tens of sweeps.
const sweepsAlone = 100

// evaluate fills Fixed for a policy, unless ctx ends.
func (x *policyEvaluator) evaluate(ctx context.Context, p *latentMDP, b *GridBounds, policy int, tol float64) {
	if x.values == nil {
		x.values, x.action = make([]float64, p.States()), make([]int32, p.States())
	}
	clear(x.values)
	for n := range x.action {
		x.action[n] = int32(policy)
		if policy >= p.Actions {
			of := n/p.latents*p.latents + policy - p.Actions
			x.action[n] = int32(argmax(b.Latent.Table[of*p.Actions : (of+1)*p.Actions]))
		}
	}
	x.solve(ctx, p, tol)
	for n, v := range x.values {
		b.Fixed.Table[n*b.Policies+policy] = v
	}
}

// solve replaces values by those of the policy that acts so, unless ctx ends.
func (x *policyEvaluator) solve(ctx context.Context, p *latentMDP, tol float64) {
	if !p.Iterates() {
		for k := 0; k < sweepsAlone || p.Discount == 1; k++ {
			if !(p.Evaluate(x.values, x.action, k%2 == 1) > tol*p.Rate) || ctx.Err() != nil {
				return
			}
		}
	}
	x.chain.Fix(&p.MDP, func(s int) int { return s*p.Actions + int(x.action[s]) })
	_, _, _ = x.chain.Solve(ctx, x.values, tol)
}

// argmax returns the first index of the largest entry.
func argmax(x []float64) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}
