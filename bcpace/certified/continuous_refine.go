package certified

import (
	"context"
	"errors"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/grid"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// explore searches, and begins again on a grid of half the step where simulated episodes, or
// the bounds themselves, refute the bounds: their grid, or the list of successors, was too
// coarse. It does so until the bounds hold, a limit or the time is up, or the grid is as fine as
// it may be. A run that is left without the episodes of the one before, as time was up, gives
// way to that.
//
// Where a list of actions stands for a Box it does not begin again: there the policy by dynamic
// programming on the grid stands in, which takes most of the time (see choose).
func (cs *continuousSearch) explore(ctx context.Context) (*runs.Run, error) {
	run, err := cs.exploreGrid(ctx)
	if bcpace.AbilitiesOf(cs.bounds.model).Behind != nil {
		return run, err
	}
	for err == nil && run.Stop == stop.Refuted && cs.bounds.halvings < mostHalvings {
		finer, fault := cs.onFinerGrid(ctx)
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
		cs, run, err = finer, next, fault
	}
	return run, err
}

// onFinerGrid returns a search without samples on a grid of half the step and with a finer list
// of successors, or nil where no axis has a step, the grid would be too large or ctx ends
// before. The error is the model's.
func (cs *continuousSearch) onFinerGrid(ctx context.Context) (*continuousSearch, error) {
	s, m, axes := cs.run.Solver.(Solver), cs.bounds.model, cs.bounds.Latent.Axes
	limit := s.Grid.MaxPoints
	if limit == 0 {
		limit = mostPoints
	}
	if n := grid.Between(axes); n == 0 || grid.Points(axes) > limit>>n {
		return nil, nil
	}
	tables, err := solveContinuousTables(solverkit.WithControl(ctx, cs.control), m, s, cs.bounds.halvings+1)
	tooFine, tooLarge := new(bcpace.InputError), new(bcpace.UnsupportedError)
	switch {
	case err != nil && (ctx.Err() != nil || errors.As(err, &tooFine) || errors.As(err, &tooLarge)):
		return nil, nil
	case err != nil:
		return nil, err
	}
	bounds := newContinuousBounds(m, tables, s.LipState, s.Epsilon)
	bounds.proof = cs.bounds.proof // which rests on the model alone
	return newContinuousSearch(bounds, s, cs.plan, cs.control)
}
