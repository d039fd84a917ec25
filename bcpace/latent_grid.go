package bcpace

import (
	"context"
	"fmt"
	"math"

	"bayescpace/bcpace/internal/grid"
)

// GridOptions of SolveGrid. Every zero value is useful.
type GridOptions struct {
	// Step is the distance h between grid points on the axes that are not
	// Discrete, in units of the metric (an axis' own unit × its Scale). It is
	// shrunk to divide an axis evenly. Choose one that puts points on the borders
	// of goal regions, where values jump. If it is 0, it is the largest power of
	// two that cuts the longest axis into 48 cells or more, doubled until there
	// are at most MaxPoints points.
	Step float64
	// MaxPoints is the most grid points allowed. If it is 0, 65,536 is used.
	MaxPoints int
	// Tolerance is the error allowed in the values of the grid's own equations,
	// in reward units. If it is 0, it is 1e-10 × max(1, RewardMax − RewardMin).
	Tolerance float64
	// NoError leaves the estimate of the error out, which takes about a quarter
	// of the time. Error and MeanError are NaN then.
	NoError bool
}

const (
	defaultGridPoints = 1 << 16
	defaultGridCells  = 48
)

// GridValues are the values Q(s, φ, a) of an Enumerator on a regular grid with
// multilinear interpolation between its points, from SolveGrid. They are safe
// for concurrent use, and Q does not allocate.
type GridValues struct {
	// Axes has an entry for each axis of the state.
	Axes []GridAxis
	// Table holds Q(s, φ, a) at (point × latents + φ) × actions + a, in reward
	// units. The last axis runs fastest over the points.
	Table []float64
	// Error and MeanError are the largest and the mean difference between Table
	// and the solution on a grid of twice the step, over all points, latents
	// and actions. They estimate the error of the grid, and are no bound. Where
	// values are smooth the error shrinks at least as fast as the step, so that
	// what is left is at most the difference. Where they jump, as at the border
	// of a goal, the largest difference stays near the height of the jump
	// however fine the grid, within a step of it; the mean tells how little of
	// the space that is.
	Error, MeanError float64

	spec             Spec
	latents, actions int
}

var _ LatentValues = (*GridValues)(nil)

// GridAxis places the grid points of an axis at Min + i·Step, i < Points. An
// axis of one point is left out: values do not depend on it.
type GridAxis = grid.Axis

// GridPlace is a place between the points of a grid, with the weights of the points
// around it.
type GridPlace = grid.Place

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
	return q
}

func (v *GridValues) beliefs() int { return v.latents }

// Mean fills out, of an entry for each action, with Σ_φ b(φ)·Q(s, φ, ·) at the place
// of s, see Locate.
func (v *GridValues) Mean(out []float64, at *GridPlace, b Belief) {
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
}

// SolveGrid computes the optimal values of the latent MDPs of m on a regular
// grid over the axes that are not Discrete; discrete axes keep their values. It
// solves
//
//	Q(g,φ,a) = Σ_s' P(s'|g,φ,a) (R + γ Σ_φ' P(φ'|φ,g,a) V(s',φ')),  V = max over a of Q
//
// at the grid points g, with the model's Successors as quadrature and V(s')
// interpolated multilinearly between the points around s'. The weights of an
// interpolation are positive and sum to 1, so the operator is monotone and a
// γ-contraction, and value iteration converges on every grid.
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
// The error is the context's; an *UnsupportedError for a horizon that the states do
// not keep, see HorizonKeeper, or more than 8 axes that are not discrete; an *InputError for options that cannot be used; or a
// *ConformanceError for Successors that are not a distribution.
func SolveGrid(ctx context.Context, m Enumerator, o GridOptions) (*GridValues, error) {
	if err := solvable(m, "SolveGrid", o.Tolerance); err != nil {
		return nil, err
	}
	spec := m.Spec()
	if o.Tolerance == 0 {
		o.Tolerance = latentTolerance(spec)
	}
	axes, err := o.Grid(spec)
	if err != nil {
		return nil, err
	}
	v, err := solveGrid(ctx, m, axes, o.Tolerance)
	if err != nil {
		return nil, err
	}
	v.Error, v.MeanError = math.NaN(), math.NaN()
	if o.NoError {
		return v, nil
	}
	coarse, err := solveGrid(ctx, m, grid.Coarser(axes), o.Tolerance)
	if err != nil {
		return nil, err
	}
	v.compare(coarse)
	return v, nil
}

// solveGrid solves on one grid.
func solveGrid(ctx context.Context, m Enumerator, axes []GridAxis, tol float64) (*GridValues, error) {
	p, err := newLatentMDP(ctx, m, NewGrid(m.Spec(), axes))
	if err != nil {
		return nil, err
	}
	v := &GridValues{Axes: axes, Table: make([]float64, len(p.Reward)), spec: m.Spec(), latents: p.latents, actions: p.Actions}
	if _, err := p.Solve(ctx, v.Table, tol); err != nil {
		return nil, err
	}
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
}

// Grid returns the axes of the grid that SolveGrid takes for a model of that
// description. For errors see SolveGrid.
func (o GridOptions) Grid(spec Spec) ([]GridAxis, error) {
	bad := func(what string, got any, want string) error {
		return &InputError{Where: "grid options", What: what, Got: fmt.Sprint(got), Want: want}
	}
	limit := o.MaxPoints
	if limit == 0 {
		limit = defaultGridPoints
	}
	if limit < 1 {
		return nil, bad("MaxPoints", o.MaxPoints, "a number of grid points, or 0 for 65,536")
	}
	longest, n := 0.0, 0
	for _, a := range spec.Axes {
		if !a.Discrete && !math.IsInf(a.Scale, 1) && a.Max > a.Min {
			longest = max(longest, (a.Max-a.Min)/a.MetricUnit())
			n++
		}
	}
	if n > grid.MaxAxes {
		return nil, &UnsupportedError{Model: spec.Name, Algorithm: "SolveGrid",
			Need: fmt.Sprintf("at most %d axes that are not discrete, not %d: a grid grows as a power of them", grid.MaxAxes, n)}
	}
	if o.Step != 0 {
		if !(o.Step > 0) || math.IsInf(o.Step, 1) {
			return nil, bad("Step", o.Step, "a positive distance between grid points, or 0 for the default")
		}
		axes, points := gridAxes(spec, o.Step)
		if points > float64(limit) {
			return nil, bad("Step", o.Step, fmt.Sprintf("a larger one (it makes %.0f points), or MaxPoints above %d", points, limit))
		}
		return axes, nil
	}
	step := 1.0
	if longest > 0 {
		step = math.Exp2(math.Floor(math.Log2(longest / defaultGridCells)))
	}
	for {
		axes, points := gridAxes(spec, step)
		if points <= float64(limit) {
			return axes, nil
		}
		if !(step < longest) { // one cell on every axis, and still too many
			return nil, bad("MaxPoints", limit, fmt.Sprintf("at least %.0f, the number of points of the coarsest grid", points))
		}
		step *= 2
	}
}

// gridAxes returns the grid of a step, in units of the metric, and the number
// of its points, a float64 since it may be anything.
func gridAxes(spec Spec, step float64) ([]GridAxis, float64) {
	axes := make([]GridAxis, len(spec.Axes))
	points := 1.0
	for i, a := range spec.Axes {
		x := GridAxis{Min: a.Min, Step: 1, Points: 1, Discrete: a.Discrete}
		cells := 0.0
		switch {
		case math.IsInf(a.Scale, 1) || a.Max == a.Min:
		case a.Discrete:
			cells = math.Floor(a.Max - a.Min)
		default:
			// A hair's breadth of rounding must not add a cell.
			cells = max(1, math.Ceil((a.Max-a.Min)/(step*a.MetricUnit())-1e-9))
			if x.Wraps = a.Period > 0; x.Wraps {
				cells = max(2, cells) // one point would leave the axis out
			}
			x.Step = (a.Max - a.Min) / cells
			if x.Wraps {
				cells-- // the last point is the first
			}
		}
		points *= cells + 1
		if cells < math.MaxInt32 {
			x.Points = int(cells) + 1
		}
		axes[i] = x
	}
	return axes, points
}

// NewGrid returns the grid with those axes in the box of spec.
func NewGrid(spec Spec, axes []GridAxis) grid.Grid {
	fixed := make([]float64, len(axes))
	for i, a := range spec.Axes {
		fixed[i] = a.Min
	}
	return grid.New(axes, fixed)
}
