package certified

import (
	"context"
	"errors"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/grid"
)

const (
	// gridMargin is how many times the estimated error of a grid is added to its
	// upper bound.
	gridMargin = 2
	// gridEntries is about how many successors a grid between more than two axes lists at
	// most: those of one point with other beliefs are not one, as they are for the latent
	// values.
	gridEntries = 1 << 22
	// gridSamples is how many samples the search on one grid takes at most.
	gridSamples = 10_000
	// listSamples is how many it takes where a finer list of successors is compared: the
	// lower bound, which is all that counts there, is the first to be known.
	listSamples = 2_000
)

// UpperAtStart implements bcpace.Values: it returns an upper bound of the optimal value
// at the start of a model without numbered states, by dynamic programming on grids. It
// assumes that the model lists its successors exactly, and it proves nothing, as it
// estimates the error of a grid and of a list. It uses neither samples nor Solver.LipState.
//
// Each of up to four grids makes a Finite model (gridModel), whose optimal value a search
// brackets to ε/16. The step is halved from grid to grid until the error is estimated at
// ε/8 or less, or the step is that of the latent values. If the error falls in proportion
// to the step or faster, the error after a halving is at most the change by this halving,
// half the change by the one before, and so on. The estimate is the largest of these
// changes, as far as the brackets show them, and at least ε/16, since two grids may agree
// by chance. gridMargin times the estimate is added to the bound. So is gridMargin times
// what a finer list of successors adds on the grid before the last, where the model is a
// bcpace.FinerLister: where rewards jump, a list of a few nodes may miss much of that.
//
// A grid whose axes are all discrete cannot be halved, and has no error. If the search on
// a grid runs into its limit, its bracket may be wide: then the bound is that of the grid
// before it, if that grid has an estimate.
//
// If the tables of the first grids are too large for memory, the only bound is the range
// of returns. If ctx ends before, it is that of the latent values and their error, where that
// is known (latentUpper). The errors are those of the search.
func (e *continuousBounds) UpperAtStart(ctx context.Context, r *bcpace.Run) (upper, margin float64, err error) {
	if r.Certificate.Assumes == bcpace.AssumesSlope { // a file from before this bound existed
		return r.Value, 0, nil
	}
	if upper, margin, err = gridUpper(ctx, e.model, e.Latent.Axes, r.Epsilon()/16); err == nil || ctx.Err() == nil || math.IsNaN(e.Latent.Error) {
		return upper, margin, err
	}
	known, failed := latentUpper(e.model, e.Latent)
	if failed != nil {
		return upper, margin, failed
	}
	return min(upper, known), e.Latent.Error, err
}

// latentUpper returns the upper bound at the start that latent values and the estimate of
// their error give.
func latentUpper(m bcpace.Model, q *bcpace.GridValues) (float64, error) {
	bound, actions := bcpace.QMDPBound{Values: q, Slack: q.Error}, len(m.Spec().Actions)
	return bcpace.MeanAtStart(m, func(s []float64, b bcpace.Belief) float64 {
		u := math.Inf(-1)
		for a := range actions {
			u = max(u, bound.Upper(s, b, a))
		}
		return u
	})
}

// UpperInHaste returns the bound that UpperAtStart gives where a deadline ends it, for Verify.
func (e *continuousBounds) UpperInHaste(ctx context.Context) (float64, error) {
	t, err := e.withError(ctx, e.model)
	if err != nil {
		return 0, err
	}
	return latentUpper(e.model, t.Latent)
}

// gridUpper is UpperAtStart with brackets of the given width, and with the grid of the
// latent values.
func gridUpper(ctx context.Context, m bcpace.Enumerator, finest []bcpace.GridAxis, width float64) (upper, margin float64, err error) {
	_, top := bcpace.RangeOfReturns(m)
	finest, err = affordable(m, finest)
	if err != nil {
		return top, 0, err
	}
	grids := halvings(finest)
	s := Solver{Epsilon: width, MaxSamples: gridSamples}
	upper = top
	changed, last := 0.0, bcpace.Certificate{}
	var lowers []float64 // of the grids so far
	for i, axes := range grids {
		on, err := s.onGrid(ctx, newGridModel(m, axes))
		if large := new(bcpace.UnsupportedError); errors.As(err, &large) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return top, 0, err
		}
		if i > 1 && on.Stop == bcpace.StopSamples && upper < top {
			break
		}
		now := on.Certificate
		lowers = append(lowers, now.Lower)
		if i > 0 {
			changed = max(changed/2, now.Upper-last.Lower, last.Upper-now.Lower, width)
		}
		if i > 0 || len(grids) == 1 {
			upper = min(top, now.Upper+gridMargin*changed)
			margin = upper - min(top, now.Upper)
		}
		if i > 1 && changed <= 2*width { // the width of the brackets alone may make such a change
			break
		}
		last = now
	}
	if len(lowers) == 0 || upper == top {
		return upper, margin, nil
	}
	k := max(0, len(lowers)-2)
	missed, err := listError(ctx, m, grids[k], lowers[k], s)
	missed = min(gridMargin*missed, top-upper)
	return upper + missed, margin + missed, err
}

// onGrid searches on a grid for the sake of the upper bound: a lower bound that lags is left
// alone.
func (s Solver) onGrid(ctx context.Context, m *gridModel) (*bcpace.Run, error) {
	plan, err := s.Plan(m)
	if err != nil {
		return nil, err
	}
	x, _, err := s.newSearch(ctx, m, plan, bcpace.Control{})
	if err != nil {
		return nil, err
	}
	x.(*finiteSearch).lower.judged = true
	return x.explore(ctx)
}

// listError estimates by how much a model's list of successors is too low for the optimal
// value at the start: by what a finer one adds to lower, the lower bound on a grid. It is 0
// for a model that has no finer list.
func listError(ctx context.Context, m bcpace.Enumerator, axes []bcpace.GridAxis, lower float64, s Solver) (float64, error) {
	f, ok := m.(bcpace.FinerLister)
	if !ok {
		return 0, nil
	}
	finer := f.FinerList()
	if finer == nil {
		return 0, nil
	}
	s.MaxSamples = listSamples
	on, err := s.onGrid(ctx, newGridModel(finer, axes))
	if large := new(bcpace.UnsupportedError); errors.As(err, &large) {
		return 0, nil
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return 0, err
	}
	return max(0, on.Certificate.Lower-lower), nil
}

// halvings returns up to four grids, the last of them the finest, and each of about half
// the step of the one before it. If all axes are discrete there is only one.
func halvings(finest []bcpace.GridAxis) [][]bcpace.GridAxis {
	grids := [][]bcpace.GridAxis{finest}
	for len(grids) < 4 {
		c := grid.Coarser(grids[0])
		if slices.Equal(c, grids[0]) {
			break
		}
		grids = slices.Insert(grids, 0, c)
	}
	return grids
}

// affordable returns the given grid or, between more than two axes, a coarser one that
// lists gridEntries successors at most, by those of the starts.
func affordable(m bcpace.Enumerator, finest []bcpace.GridAxis) ([]bcpace.GridAxis, error) {
	if grid.Between(finest) <= grid.MaxMultilinear {
		return finest, nil
	}
	starts, err := bcpace.StartsOf(m)
	if err != nil {
		return nil, err
	}
	l, listed := bcpace.NewLister(m), 0.0
	for _, s := range starts {
		for a := range m.Spec().Actions {
			if err := l.List(s.State, a); err != nil {
				return nil, err
			}
			listed += s.Weight * float64(l.Successors.Len()*(grid.Between(finest)+1))
		}
	}
	for listed*float64(grid.Points(finest)) > gridEntries {
		c := grid.Coarser(finest)
		if slices.Equal(c, finest) {
			break
		}
		finest = c
	}
	return finest, nil
}
