package dp

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
)

// GridBounds are the values that policies have on the grid of an Enumerator when they
// see the latent, from SolveGridBounds. They bound those of the model as far as the
// grid is fine enough.
type GridBounds struct {
	Latent *GridValues // Q(s,φ,a): the most that a policy earns under φ that takes a first
	Worst  *GridValues // the least
	// Fixed has the values of Policies policies in the place of actions: those that
	// take one action without end, in the order of the actions, then, if there is room,
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
	floats.Scale(-1, p.Reward)
	p.phase(ctx, "worst policy", -1)
	if _, err := p.Solve(ctx, b.Worst.Table, plan.tolerance); err != nil {
		return plan.boundsSoFar(ctx, b.Latent, true), err
	}
	floats.Scale(-1, b.Worst.Table)
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

// evaluate fills Fixed.
func (b *GridBounds) evaluate(ctx context.Context, p *latentMDP, tol float64) error {
	v, action := make([]float64, p.States()), make([]int32, p.States())
	for policy := range b.Policies {
		for n := range action {
			action[n] = int32(policy)
			if policy >= p.Actions {
				of := n/p.latents*p.latents + policy - p.Actions
				action[n] = int32(floats.MaxIdx(b.Latent.Table[of*p.Actions : (of+1)*p.Actions]))
			}
		}
		p.phase(ctx, "fixed policies", float64(policy)/float64(b.Policies))
		if err := p.evaluate(ctx, v, action, tol); err != nil {
			return err
		}
		for n, x := range v {
			b.Fixed.Table[n*b.Policies+policy] = x
		}
	}
	return nil
}

// evaluate replaces v by the values of a policy.
func (p *latentMDP) evaluate(ctx context.Context, v []float64, action []int32, tol float64) error {
	if p.Iterates() {
		var c mdp.MarkovChain
		c.Fix(&p.MDP, func(s int) int { return s*p.Actions + int(action[s]) })
		_, _, err := c.Solve(ctx, v, tol)
		return err
	}
	chosen, policy := p.Under(new(mdp.MDP), action)
	backwards := false
	for chosen.Evaluate(v, policy, backwards) > tol*p.Rate {
		backwards = !backwards
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
