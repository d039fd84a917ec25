package proved

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

// Options of Upper. Every zero value is useful.
type Options struct {
	// Tolerance ends the refinement: grids become finer until the bound at the start falls by
	// that or less, in reward units, from one to the next. If it is 0, it is a thousandth of the
	// range of returns.
	Tolerance float64
	// Cell is the side of a cell of the first grid, in standard deviations of the noise. If it is
	// 0, 0.8 is used, and a model is refused for which these cells would be too many or, on one or two axes, cells of
	// 0.35. Each grid has a side of 1/√2 of the one before.
	Cell float64
	// Work bounds the multiplications of a sweep, of which a grid takes some tens, so that a model for
	// which that is too few is refused at once. If it is 0, 9·10⁹ is used, some seconds a sweep; before a deadline,
	// finer grids than the first one take what there is time for.
	Work float64
	// Grids bounds the number of grids that are solved; 0 means no such limit.
	Grids int
}

// GridBound is an upper bound of the optimal values of a model, from which a lower one follows.
type GridBound struct {
	// Start is the bound at the start, the mean over the start states, in reward units.
	Start float64
	// Cell is the side of a cell of the grid of states in standard deviations, and Vertices and
	// Choices are the numbers of its states and of actions and controls.
	Cell              float64
	Vertices, Choices int
	// Told bounds what the minorants leave of the probability in a step of the finite model. With that
	// the latent is told, or, where no axis tells anything, the best place near by is reached.
	Told float64

	of     *subject
	solver *solver
	slack  float64
	least  float64 // see solver.solve

	side float64       // of the cells, as was asked
	work float64       // the multiplications of a sweep
	took time.Duration // of all sweeps, and of what comes before them
}

// At returns the bound at a state and a belief: no policy earns more from there on. The slices
// are as bcpace.Policy has them: the belief has an entry for each latent, and they sum to 1. With a
// horizon, a state that does not have the steps left is one of the start. At a state that ends the
// episode, or is off the axes, it is the largest return.
func (b *GridBound) At(s []float64, belief bcpace.Belief) float64 {
	return b.solver.value(s, belief) + b.slack
}

// Lower returns a lower bound of the optimal value at the start, the mean over the start states, in
// reward units: what a controller earns at least that plays the best choices of the finite model. It
// rests on the model alone, as the upper bound does; −Inf where there is none.
//
// The error is an *bcpace.UnsupportedError for a model that does not state how convex its rewards
// are, or that has several axes that tell something of the latent, and for a grid that is too coarse,
// or too fine for a controller that learns; or that of ctx.
func (b *GridBound) Lower(ctx context.Context) (float64, error) {
	report := func(share float64) { solverkit.ReportPhase(ctx, "proved lower bound", share) }
	lower, err := b.solver.lower(ctx, b.of.starts, b.least, report)
	if err != nil {
		return math.Inf(-1), err
	}
	return lower - b.slack, nil
}

// Upper computes an upper bound of the optimal values of m, which rests on the model alone: on its
// noise, and on what it states of its means and rewards (bcpace.Smoothness). For a list of controls
// that bcpace.Discretised has made, it is the bound of the model with the Box. The error is an
// *bcpace.UnsupportedError for a model that it cannot do, an *bcpace.InputError for options that
// cannot be used, the model's, or that of ctx. If ctx ends after a grid was solved, or the next one would
// take much longer than its deadline leaves, the bound of the last one comes back beside the error.
func Upper(ctx context.Context, m bcpace.Model, o Options) (*GridBound, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	p, err := subjectOf(m)
	if err != nil {
		return nil, err
	}
	if err := p.guarded(func() { p.form, p.wide = p.look() }); err != nil {
		return nil, err
	}
	side := cmp.Or(o.Cell, firstCell)
	need, work := side, cmp.Or(o.Work, mostWork)
	if o.Cell == 0 && len(p.form.order()) < manyAxes {
		need = leastFine
	}
	if !p.affords(need, work) {
		return nil, unsupported(p.spec, "noise that is wider beside the axes, or fewer actions: a grid with cells of %v standard deviations has more than %g numbers, or takes more than %g multiplications a sweep", need, float64(mostNumbers), work)
	}
	return p.refine(ctx, side, o, nil)
}

// Takes returns nil for a model of which Upper computes a bound, and elsewhere its error, without solving anything.
func Takes(m bcpace.Model) error {
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := Upper(ended, m, Options{}); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// Finer is Upper with grids that are finer than that of b, whose bound comes back where theirs is not lower. It takes
// no Options.Cell. Calls for bounds that come from one another are for one goroutine at a time.
func (b *GridBound) Finer(ctx context.Context, o Options) (*GridBound, error) {
	if err := cmp.Or(
		o.check(),
		bcpace.In("options").Need(o.Cell == 0, "Cell", o.Cell, "0, as the cells of the bound are the first ones")); err != nil {
		return nil, err
	}
	return b.of.refine(ctx, b.side/math.Sqrt2, o, b)
}

func (o Options) check() error {
	in := bcpace.In("options")
	return cmp.Or(
		in.Need(o.Tolerance >= 0, "Tolerance", o.Tolerance, "a number from 0 up, in reward units"),
		in.Need(o.Work >= 0, "Work", o.Work, "a number of multiplications, or 0 for 9e9"),
		in.Need(o.Grids >= 0, "Grids", o.Grids, "a number of grids, or 0 for no limit"),
		in.Need(o.Cell >= 0 && o.Cell <= 2, "Cell", o.Cell, "a side of up to 2 standard deviations, or 0 for 0.8"))
}
