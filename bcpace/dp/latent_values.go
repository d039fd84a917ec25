package dp

import (
	"cmp"
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

// LatentFunc is a user's own function as LatentValues.
type LatentFunc func(s []float64, latent, action int) float64

// Q implements bcpace.LatentValues.
func (f LatentFunc) Q(s []float64, latent, action int) float64 { return f(s, latent, action) }

// SolveLatent returns the values Q(s, φ, a) of the latent MDPs of m: its own where it has
// them (LatentValues), exact to rounding where it is Finite (SolveFinite) or a ToldModel, and
// on a grid where it is an Enumerator (SolveGrid). The values may come back unfinished, beside
// the error of ctx; see SolveFinite and SolveGrid. The error is that of Validate, of
// SolveFinite or of SolveGrid, or an *UnsupportedError where m is none of these; its type may
// embed a LatentFunc then.
func SolveLatent(ctx context.Context, m bcpace.Model) (bcpace.LatentValues, error) {
	return SolveLatentOn(ctx, m, GridOptions{})
}

// toldValues are those of a ToldModel.
type toldValues struct {
	*FiniteValues
	axes int // of the model that is told the latent
}

// SolveLatentOn is SolveLatent with options for the grid, whose tolerance is that of a Finite
// model too.
func SolveLatentOn(ctx context.Context, m bcpace.Model, o GridOptions) (bcpace.LatentValues, error) {
	if t, ok := m.(bcpace.ToldModel); ok {
		told := t.Told()
		v, err := SolveFinite(ctx, told, o.Tolerance)
		if v == nil {
			return nil, err
		}
		return toldValues{v, len(told.Spec().Axes)}, err
	}
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	if err := cmp.Or(solverkit.NeedDiscount(m.Spec(), "SolveLatent"), solverkit.NeedActionList(m.Spec(), "SolveLatent")); err != nil {
		return nil, err
	}
	if own, ok := m.(bcpace.LatentValues); ok {
		return own, nil
	}
	if f, ok := bcpace.AsFinite(m); ok {
		return orNil(SolveFinite(ctx, f, o.Tolerance))
	}
	if e, ok := m.(bcpace.Enumerator); ok {
		return orNil(SolveGrid(ctx, e, o))
	}
	return nil, &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: "solving the latent MDPs",
		Need: solverkit.NeedSuccessors(", or latent values of the model's own (LatentValues)")}
}

// orNil keeps a nil pointer from becoming an interface that is not nil.
func orNil[V any, P interface {
	*V
	bcpace.LatentValues
}](v P, err error) (bcpace.LatentValues, error) {
	if v == nil {
		return nil, err
	}
	return v, err
}

// Q implements LatentValues.
func (v toldValues) Q(s []float64, latent, action int) float64 {
	if len(s) < v.axes {
		return math.NaN()
	}
	return v.FiniteValues.Q(s[:v.axes], latent, action)
}

// LatentMaxima are LatentValues that find the largest Q(s, φ, a) of all actions faster than by
// asking for each.
type LatentMaxima interface {
	bcpace.LatentValues
	Max(s []float64, latent int) float64
}
