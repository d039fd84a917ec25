package certified

import (
	"context"
	"errors"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/grid"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// mostHalvings is how often the step of a grid is halved at most where the bounds of the search
// are refuted. With the default grid of one axis it then has some 2,000 points.
const mostHalvings = 5

// mostPoints is how many points a halved grid has at most if Solver.Grid does not say.
const mostPoints = 1 << 16

// explore searches, and begins again on a grid of half the step where simulated episodes, or
// the bounds themselves, refute the bounds: their grid, or the list of successors, was too
// coarse. It does so until the bounds hold, a limit or the time is up, or the grid is as fine as
// it may be. A run that is left without the episodes of the one before, as time was up, gives
// way to that.
//
// Where a list of actions stands for a Box it does not begin again: there the policy by dynamic
// programming on the grid stands in, which takes most of the time (see choose).
func (x *continuousSearch) explore(ctx context.Context) (*runs.Run, error) {
	run, err := x.exploreGrid(ctx)
	if bcpace.AbilitiesOf(x.bounds.model).Controls != nil {
		return run, err
	}
	for err == nil && run.Stop == bcpace.StopRefuted && x.bounds.halvings < mostHalvings {
		finer, fault := x.onFinerGrid(ctx)
		if fault != nil {
			return run, run.Failed(fault)
		}
		if finer == nil {
			break
		}
		next, fault := finer.exploreGrid(ctx)
		if fault == nil && next.Certificate.Episodes < run.Certificate.Episodes {
			break
		}
		x, run, err = finer, next, fault
	}
	return run, err
}

// onFinerGrid returns a search without samples on a grid of half the step and with a finer list
// of successors, or nil where no axis has a step, the grid would be too large or ctx ends
// before. The error is the model's.
func (x *continuousSearch) onFinerGrid(ctx context.Context) (*continuousSearch, error) {
	s, m, axes := x.run.Solver.(Solver), x.bounds.model, x.bounds.Latent.Axes
	limit := s.Grid.MaxPoints
	if limit == 0 {
		limit = mostPoints
	}
	if n := grid.Between(axes); n == 0 || grid.Points(axes) > limit>>n {
		return nil, nil
	}
	tables, err := solveContinuousTables(solverkit.WithControl(ctx, x.control), m, s, x.bounds.halvings+1)
	tooFine, tooLarge := new(bcpace.InputError), new(bcpace.UnsupportedError)
	switch {
	case err != nil && (ctx.Err() != nil || errors.As(err, &tooFine) || errors.As(err, &tooLarge)):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return newContinuousSearch(newContinuousBounds(m, tables, s.LipState, s.Epsilon), s, x.plan, x.control)
}

// halved returns the options of the grid with those axes if its step is halved so many times.
// Between more than two axes, where o has a number of points, there are twice as many on each.
func halved(o dp.GridOptions, spec bcpace.Spec, axes []dp.GridAxis, halvings int) dp.GridOptions {
	finer := math.Exp2(float64(halvings))
	if n := grid.Between(axes); n > grid.FewAxes && o.Step == 0 {
		o.MaxPoints = int(float64(grid.Points(axes)) * math.Pow(finer, float64(n)))
		return o
	}
	step := math.Inf(1)
	for i, a := range axes {
		if a.Points > 1 && !a.Discrete {
			step = min(step, a.Step/spec.Axes[i].MetricUnit())
		}
	}
	o.Step = step / finer
	return o
}
