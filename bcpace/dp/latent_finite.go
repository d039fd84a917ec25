package dp

import (
	"context"
	"math"

	"bayescpace/bcpace"
)

// FiniteValues are the values Q(s, φ, a) of a Finite model, from SolveFinite.
// They are safe for concurrent use, and Q does not allocate.
type FiniteValues struct {
	// Table holds Q(s, φ, a) at (number of s × latents + φ) × actions + a, in
	// reward units. The number is that of Transitions, for values of those.
	Table []float64
	// Error bounds |Table − Q*|, in reward units. Values are approached from
	// below: as an upper bound in the strict sense, add Error.
	Error float64

	states           numbering
	latents, actions int
}

var _ bcpace.LatentValues = (*FiniteValues)(nil)

// Q returns Q(s, φ, a), or NaN for a state, latent or action that the model does not have.
func (v *FiniteValues) Q(s []float64, latent, action int) float64 {
	i := v.states.index(s)
	if i < 0 || latent >= v.latents || action >= v.actions {
		return math.NaN()
	}
	return v.Table[(i*v.latents+latent)*v.actions+action]
}

func (v *FiniteValues) Beliefs() int { return v.latents }

// SolveFinite computes the optimal values of the latent MDPs of m by value
// iteration, each within tol of the truth. If tol is 0,
// 1e-10 × max(1, RewardMax − RewardMin) is used; one that is below what rounding
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
// HorizonKeeper, or for tables of more than 2 GB; an *InputError for a bad tol; or a
// *ConformanceError for Successors that are not a distribution.
func SolveFinite(ctx context.Context, m bcpace.Finite, tol float64) (*FiniteValues, error) {
	if err := solvable(m, "SolveFinite", tol); err != nil {
		return nil, err
	}
	spec := m.Spec()
	if tol == 0 {
		tol = latentTolerance(spec)
	}
	states := number(m)
	p, err := newLatentMDP(ctx, m, states, "SolveFinite", 1)
	if err != nil {
		return nil, err
	}
	return p.latentValues(ctx, states, tol)
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

// Disaggregate returns v with an entry for every state of the model in Table, where it
// has one for every class of them (Transitions.Aggregate).
func (v *FiniteValues) Disaggregate() *FiniteValues {
	if v.states.classes == nil {
		return v
	}
	n := v.latents * v.actions
	all := *v
	all.states.classes = nil
	all.Table = make([]float64, 0, len(v.states.of)*n)
	for _, c := range v.states.of {
		all.Table = append(all.Table, v.Table[int(c)*n:(int(c)+1)*n]...)
	}
	return &all
}

// SolveLatent returns the values Q(s, φ, a) of the latent MDPs of m: its own where it has
// them (LatentValues), exact to rounding where it is Finite (SolveFinite) or a ToldModel, and
// on a grid where it is an Enumerator (SolveGrid). The values may come back unfinished, beside
// the error of ctx; see SolveFinite and SolveGrid. The error is that of Validate, of
// SolveFinite or of SolveGrid, or an *UnsupportedError where m is none of these; its type may
// embed a LatentFunc then.
func SolveLatent(ctx context.Context, m bcpace.Model) (bcpace.LatentValues, error) {
	if t, ok := m.(bcpace.ToldModel); ok {
		told := t.Told()
		v, err := SolveFinite(ctx, told, 0)
		if v == nil {
			return nil, err
		}
		return toldValues{v, len(told.Spec().Axes)}, err
	}
	return SolveLatentOn(ctx, m, GridOptions{})
}

// toldValues are those of a ToldModel.
type toldValues struct {
	*FiniteValues
	axes int // of the model that is told the latent
}

// Q implements LatentValues.
func (v toldValues) Q(s []float64, latent, action int) float64 {
	if len(s) < v.axes {
		return math.NaN()
	}
	return v.FiniteValues.Q(s[:v.axes], latent, action)
}

// SolveLatentOn is SolveLatent with options for the grid, whose tolerance is that of a Finite
// model too.
func SolveLatentOn(ctx context.Context, m bcpace.Model, o GridOptions) (bcpace.LatentValues, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	if err := bcpace.NeedActionList(m.Spec(), "SolveLatent"); err != nil {
		return nil, err
	}
	if own, ok := m.(bcpace.LatentValues); ok {
		return own, nil
	}
	if f, ok := bcpace.AsFinite(m); ok {
		v, err := SolveFinite(ctx, f, o.Tolerance)
		if v == nil {
			return nil, err
		}
		return v, err
	}
	if e, ok := m.(bcpace.Enumerator); ok {
		v, err := SolveGrid(ctx, e, o)
		if v == nil {
			return nil, err
		}
		return v, err
	}
	return nil, &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: "solving the latent MDPs",
		Need: "the successors of a state (Enumerator), or latent values of the model's own (LatentValues)"}
}

// latentOrNil keeps a nil pointer from becoming an interface that is not nil.
func latentOrNil[V bcpace.LatentValues](v V, err error) (bcpace.LatentValues, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}
