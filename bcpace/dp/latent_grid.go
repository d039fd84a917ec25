package dp

import (
	"context"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/grid"
)

// GridOptions of SolveGrid. Every zero value is useful.
type GridOptions struct {
	// Step is the distance h between grid points on the axes that are not
	// Discrete, in units of the metric (an axis' own unit × its Scale). It is
	// shrunk to divide an axis evenly. Choose one that puts points on the borders
	// of goal regions, where values jump.
	//
	// If it is 0 and one or two axes are neither discrete nor left out, it is the
	// largest power of two that cuts the longest axis into 48 cells or more, doubled
	// until there are at most MaxPoints points. With more axes, each has as many
	// points as the values on a coarse grid say that it needs, and all of them come
	// close to MaxPoints.
	Step float64
	// MaxPoints is the most grid points allowed. If it is 0, it is 65,536, or as many
	// as a gigabyte of tables and a billion listed successors leave.
	MaxPoints int
	// Tolerance is the error allowed in the values of the grid's own equations,
	// in reward units. If it is 0, it is 1e-10 × max(solverkit.Unit, RewardMax − RewardMin), or
	// 1e-6 × (VMax − VMin) with more than two axes, where a grid errs by more.
	Tolerance float64
	// NoError leaves the estimate of the error out, which takes about a quarter
	// of the time with one or two axes. Error and MeanError are NaN then.
	NoError bool
}

// GridValues are the values Q(s, φ, a) of an Enumerator on a regular grid and
// interpolated between its points, from SolveGrid. They are safe for concurrent use, and
// Q does not allocate.
type GridValues struct {
	// Axes has an entry for each axis of the state.
	Axes []GridAxis
	// Table holds Q(s, φ, a) at (point × latents + φ) × actions + a, in reward
	// units. The last axis runs fastest over the points.
	Table []float64
	// Error and MeanError are the largest and the mean difference between Table
	// and the solution on a grid of about twice the step, over all points, latents
	// and actions. They estimate the error of the grid, and are no bound. Where
	// values are smooth the error shrinks at least as fast as the step, so that
	// what is left is at most the difference. Where they jump, as at the border
	// of a goal, the largest difference stays near the height of the jump
	// however fine the grid, within a step of it; the mean tells how little of
	// the space that is. Where the values are Flat, two grids agree on nothing: both errors
	// are then those that the range of returns allows.
	Error, MeanError float64

	spec             bcpace.Spec
	latents, actions int
	bends            *grid.Bends // nil without a correction of what is interpolated
}

var _ bcpace.LatentValues = (*GridValues)(nil)

// GridAxis places the grid points of an axis at Min + i·Step, i < Points. An
// axis of one point is left out: values do not depend on it.
type GridAxis = grid.RegularAxis

// GridPlace is a place between the points of a grid, with the weights of the points
// around it.
type GridPlace = grid.Location

// Q returns Q(s, φ, a), or NaN where s lies outside the model's axes or
// between the values of a discrete one.
func (v *GridValues) Q(s []float64, latent, action int) float64 {
	var at GridPlace
	if len(s) != len(v.Axes) || latent >= v.latents || action >= v.actions || !at.Locate(v.Axes, s) {
		return math.NaN()
	}
	q := 0.0
	for i := range at.Len() {
		if point, w := at.At(i); w > 0 {
			q += w * v.Table[(point*v.latents+latent)*v.actions+action]
		}
	}
	if v.bends != nil {
		q += v.bends.Correction(&at, at.Nearest(), latent)
	}
	return q
}

func (v *GridValues) Beliefs() int { return v.latents }

// BendTable returns the numbers of the bends, nil without them.
func (v *GridValues) BendTable() []float64 {
	if v.bends == nil {
		return nil
	}
	return v.bends.Table
}

// Mean fills out, of an entry for each action, with Σ_φ b(φ)·Q(s, φ, ·) at the place
// of s, see Locate.
func (v *GridValues) Mean(out []float64, at *GridPlace, b bcpace.Belief) {
	clear(out)
	for i := range at.Len() {
		point, w := at.At(i)
		if w == 0 {
			continue
		}
		for φ, p := range b {
			if f := w * p; f > 0 {
				row := v.Table[(point*v.latents+φ)*v.actions:][:v.actions]
				for a, q := range row {
					out[a] += f * q
				}
			}
		}
	}
	if v.bends == nil {
		return
	}
	correction, near := 0.0, at.Nearest()
	for φ, p := range b {
		if p > 0 {
			correction += p * v.bends.Correction(at, near, φ)
		}
	}
	for a := range out {
		out[a] += correction
	}
}

// SolveGrid computes the optimal values of the latent MDPs of m on a regular
// grid over the axes that are not Discrete; discrete axes keep their values. It
// solves
//
//	Q(g,φ,a) = Σ_s' P(s'|g,φ,a) (R + γ Σ_φ' P(φ'|φ,g,a) V(s',φ')),  V = max over a of Q
//
// at the grid points g, with the model's Successors as quadrature and V(s')
// interpolated between the points around s'. The weights of an interpolation are not
// negative and sum to 1, so the operator is monotone and a γ-contraction, and value
// iteration converges on every grid.
//
// Between points on up to five axes the interpolation is multilinear, with more it is linear
// on simplices. With more than two axes it is corrected by how the values of a coarser grid
// bend, see grid.Bends, as cells are large then: without it, a step that is shorter than a
// cell looks like noise as wide as the cell. Where values jump there is no correction. It is
// the same at every sweep, so that the operator remains what it is.
//
// An axis with Scale +Inf is fixed at its Min: that Scale promises that neither
// transitions nor rewards depend on the axis, so neither do values, which are
// functions of nothing else.
//
// The interpolation reads V at grid points that an episode may not continue
// from, those on the border of a goal, next to continuing states. Their values
// come from the model's dynamics as if the episode did continue, which is the
// limit from outside that a continuing state close by needs; a model should
// list Successors there as everywhere else.
//
// If ctx ends before, the values so far come back beside its error, if there are any: those
// of a coarser grid, or without an estimate of their error, which is NaN. Other errors are an
// *UnsupportedError for a horizon that the states do not keep, see bcpace.FiniteHorizon, for more
// than 12 axes that are not discrete, or for a grid that does not fit into 2 GB; an
// *InputError for options that cannot be used; or a *ConformanceError for Successors that
// are not a distribution.
func SolveGrid(ctx context.Context, m bcpace.Enumerator, o GridOptions) (*GridValues, error) {
	if err := solvable(m, "SolveGrid", o.Tolerance); err != nil {
		return nil, err
	}
	plan, err := o.plan(ctx, m, len(m.Spec().Actions))
	if err != nil {
		return plan.soFar(ctx, nil, false), err
	}
	v, err := plan.solve(ctx, m)
	if err != nil {
		return plan.soFar(ctx, v, false), err
	}
	if o.NoError {
		return v, nil
	}
	coarse, err := plan.coarser(ctx, m)
	if err != nil {
		return plan.soFar(ctx, v, true), err
	}
	v.compare(coarse)
	return v, nil
}

// compare sets v's errors by its differences from the values of a coarser grid.
func (v *GridValues) compare(coarse *GridValues) {
	l := NewGrid(v.spec, v.Axes)
	s := make([]float64, len(v.Axes))
	sum, top := 0.0, 0.0
	for g := range l.Len() {
		l.At(s, g)
		for latent := range v.latents {
			for a := range v.actions {
				d := math.Abs(v.Table[(g*v.latents+latent)*v.actions+a] - coarse.Q(s, latent, a))
				sum += d
				top = max(top, d)
			}
		}
	}
	v.Error, v.MeanError = top, sum/float64(len(v.Table))
	if v.Flat() {
		v.Error = max(v.spec.VMax()-v.Table[0], v.Table[0]-v.spec.VMin())
		v.MeanError = v.Error
	}
}

// Flat reports whether the values are the same at all points, for all latents and actions, of a
// grid between whose points values are interpolated, up to the rounding of their equations. Then
// it has probably seen nothing of what the model pays: a small goal may lie between its points.
func (v *GridValues) Flat() bool {
	if between(v.spec) == 0 || len(v.Table) == v.latents*v.actions {
		return false
	}
	slack := 1e-9 * (v.spec.VMax() - v.spec.VMin())
	return !slices.ContainsFunc(v.Table, func(q float64) bool { return math.Abs(q-v.Table[0]) > slack })
}
