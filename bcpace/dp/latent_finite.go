package dp

import (
	"cmp"
	"context"

	"bayescpace/bcpace"
)

// SolveFinite computes the optimal values of the latent MDPs of m by value
// iteration, each within tol of the truth. If tol is 0,
// 1e-10 × max(solverkit.Unit, RewardMax − RewardMin) is used; one that is below what rounding
// allows gives the rounding error, see FiniteValues.Error.
//
// Where the latent changes, they are the values of the hyper-state MDP whose
// agent sees the latent at every step:
//
//	Q(s,φ,a) = Σ_s' P(s'|s,φ,a) (R + γ Σ_φ' P(φ'|φ,s,a) V(s',φ')),  V = max over a of Q
//
// so that Σ_φ b(φ)·Q(s,φ,a) is never below the value of the BAMDP: seeing more
// cannot hurt. A state after which nothing follows is worth 0.
//
// A model of many states is solved on all processors. If ctx ends before the values are
// that close, they come back beside the error of ctx, with an Error that holds for them.
//
// Other errors are an *UnsupportedError for a horizon that the states do not keep, see
// bcpace.FiniteHorizon, or for tables of more than 2 GB; an *InputError for a bad tol; or a
// *ConformanceError for Successors that are not a distribution.
func SolveFinite(ctx context.Context, m bcpace.Finite, tol float64) (*FiniteValues, error) {
	if err := solvable(m, "SolveFinite", tol); err != nil {
		return nil, err
	}
	t, p, err := finiteMDP(ctx, m, "SolveFinite", 1, true)
	if err != nil {
		return nil, err
	}
	v, err := p.latentValues(ctx, t.states, cmp.Or(tol, latentTolerance(m.Spec())))
	return v.Disaggregate(), err
}

// finiteMDP returns the transitions of m, or, on request, those of the classes that Aggregate makes, and
// their latent MDPs, of which an algorithm will make so many tables. For errors see ListTransitions.
func finiteMDP(ctx context.Context, m bcpace.Finite, algorithm string, tables int, aggregate bool) (*Transitions, *latentMDP, error) {
	t, err := listWithin(ctx, m, algorithm, maxTables)
	if err != nil {
		return nil, nil, err
	}
	if aggregate {
		t = t.mergeSame()
	}
	if err := t.fits(t.leastBytes() + t.listBytes() + t.valueBytes(tables)); err != nil {
		return nil, nil, err
	}
	p, err := t.latentMDP(ctx)
	return t, p, err
}

// latentValues solves p, whose points are the given states. Where ctx ends, it returns the
// values so far, with the error that they have, beside the error of ctx.
func (p *latentMDP) latentValues(ctx context.Context, states numbering, tol float64) (*FiniteValues, error) {
	p.phase(ctx, "latent values", -1)
	return p.solve(ctx, states, tol)
}

// solve is latentValues for any rewards.
func (p *latentMDP) solve(ctx context.Context, states numbering, tol float64) (*FiniteValues, error) {
	v := &FiniteValues{Table: make([]float64, len(p.Reward)), states: states, latents: p.latents, actions: p.Actions}
	var err error
	v.Error, err = p.Solve(ctx, v.Table, tol)
	return v, err
}
