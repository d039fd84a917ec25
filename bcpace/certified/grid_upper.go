package certified

import (
	"context"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/grid"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
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

// gridBound is an assumed upper bound at the start, with what it has for the error of a grid.
type gridBound struct {
	upper, margin float64
	// tells says that three grids or more support it, of which the last is finer than the one
	// before it on every axis.
	tells bool
}

// UpperAtStart implements runs.Values: it returns an upper bound of the optimal value
// at the start of a model without numbered states, by dynamic programming on grids. It
// assumes that the model lists its successors exactly, and it proves nothing, as it
// estimates the error of a grid and of a list. It uses neither samples nor Solver.LipState.
//
// Each of up to four grids makes a Finite model (gridModel), whose optimal value a search
// brackets to ε/16, or as far as gridSamples go. The step is halved from grid to grid until
// the error is estimated at ε/8 or less, or the step is that of the latent values. If the error
// falls in proportion to the step or faster, the error after a halving is at most the change by
// this halving, half the change by the one before, and so on. The estimate is the largest of
// these changes, as far as the brackets leave them open, and at least ε/16. Two coarse grids
// may agree by chance, so there is a witness: the bound of QMDP at the start, from the values of
// the latent MDPs, is known on each grid and, more exactly, from the grid of the latent values.
// The estimate is at least what the latter has more. gridMargin times the estimate is added to
// the bound. So is gridMargin times what a finer list of successors adds on the grid before the
// last, where the model has one (bcpace.Abilities.FinerList): where rewards jump, a list of a few nodes may
// miss much of that. And so is what a list of controls adds that is twice as fine, where one
// stands for a Box (bcpace.Discretised), so that the bound is one of the model with the Box: the
// mean of what it adds to the lower and to the upper bound, so that the bound is no lower than
// that of the finer list, however far the search has come.
//
// Every grid counts, also one whose bracket is still wide: what it leaves open is in the
// estimate. To go by coarser grids instead is not sound, as these may agree on what is false.
//
// Where all latent values are the same (dp.GridValues.Flat), the grids have
// probably missed what the model pays, and the only bound is the range of returns.
//
// A grid whose axes are all discrete cannot be halved, and has no error. If the tables of the
// first grids are too large for memory, or the grid has one cell on each axis, the only bound
// is the range of returns.
//
// If ctx ends before, the bound is that of the grids so far, where these tell enough
// (gridBound), or that of the latent values and their error, where it is known (latentBound)
// and less. Both take the list of successors for exact. The errors are those of the search.
func (e *continuousBounds) UpperAtStart(ctx context.Context, r *runs.Run) (upper, margin float64, err error) {
	if r.Certificate.Assumes == runs.AssumesSlope { // a file from before this bound existed
		return r.Value, 0, nil
	}
	_, upper = solverkit.RangeOfReturns(e.model)
	bounds, err := gridUpper(ctx, e.model, e.Latent, r.Epsilon()/16)
	for _, b := range bounds {
		if err == nil || b.tells && ctx.Err() != nil {
			upper, margin = b.upper, b.margin
		}
	}
	if err == nil || ctx.Err() == nil || e.coarse == nil {
		return upper, margin, err
	}
	known, failed := e.latentBound(e.model)
	if failed != nil {
		return upper, margin, failed
	}
	if known.upper < upper {
		upper, margin = known.upper, known.margin
	}
	return upper, margin, err
}

// latentBound returns the bound of QMDP at the start, by latent values whose error is estimated.
// It adds gridMargin times their mean error, or gridMargin times what the bound changes from
// the coarser grid to theirs where that is more, and at most their largest error: this is at
// the steps of reward, where the start seldom is.
func (t *continuousTables) latentBound(m bcpace.Enumerator) (gridBound, error) {
	fine, err := latentUpper(m, t.Latent)
	if err != nil {
		return gridBound{}, err
	}
	coarse, err := latentUpper(m, t.coarse)
	slack := min(t.Latent.Error, gridMargin*max(t.Latent.MeanError, math.Abs(fine-coarse)))
	return gridBound{upper: fine + slack, margin: slack}, err
}

// latentUpper returns the upper bound of QMDP at the start, by latent values without an error.
func latentUpper(m bcpace.Model, q bcpace.LatentValues) (float64, error) {
	bound, actions := dp.QMDPBound{Values: q}, len(m.Spec().Actions)
	return solverkit.MeanAtStart(m, func(s []float64, b bcpace.Belief) float64 {
		u, _ := num.Largest(actions, func(a int) float64 { return bound.Upper(s, b, a) })
		return u
	})
}

// UpperInHaste returns the bounds that UpperAtStart may give where a deadline ends it, for
// Verify.
func (e *continuousBounds) UpperInHaste(ctx context.Context, r *runs.Run) ([]float64, error) {
	t, err := e.withError(ctx)
	if err != nil {
		return nil, err
	}
	known, err := t.latentBound(e.model)
	if err != nil {
		return nil, err
	}
	all := []float64{known.upper}
	bounds, err := gridUpper(ctx, e.model, e.Latent, r.Epsilon()/16)
	for _, b := range bounds {
		if b.tells {
			all = append(all, b.upper, min(b.upper, known.upper))
		}
	}
	return all, err
}

// gridUpper returns the bounds of UpperAtStart by brackets of the given width: for each grid
// from the second on the bound of the grids so far, and then the one that has the error of the
// list too, if there is any. If ctx ends it returns the bounds so far.
func gridUpper(ctx context.Context, m bcpace.Enumerator, latent *dp.GridValues, width float64) (bounds []gridBound, err error) {
	if latent.Flat() { // all grids would agree on what they have not seen
		return nil, nil
	}
	_, top := solverkit.RangeOfReturns(m)
	finest, err := affordable(m, latent.Axes)
	if err != nil {
		return nil, err
	}
	qmdp, err := latentUpper(m, latent)
	if err != nil {
		return nil, err
	}
	grids := halvings(finest)
	s := Solver{Epsilon: width, MaxSamples: gridSamples}
	report := func(grid int) func(share float64) {
		return func(share float64) {
			solverkit.ReportPhase(ctx, "upper bound by grids", (float64(grid)+share)/float64(len(grids)+1))
		}
	}
	changed, last := 0.0, bcpace.Certificate{}
	var found []bcpace.Certificate // of the grids so far
	for i, axes := range grids {
		model := newGridModel(m, axes)
		on, err := s.onGrid(ctx, model, report(i))
		if err != nil && unlessUnsupported(err) == nil {
			break
		}
		if err != nil {
			return bounds, err
		}
		now := on.Certificate
		found = append(found, now)
		if i > 0 {
			// A value below now.Upper makes up for a part of what it adds to a fall.
			fall := last.Upper - now.Lower - now.Gap()/gridMargin
			changed = max(changed/2, now.Upper-last.Lower, fall, width)
		}
		onGrid, err := latentUpper(model, on.Values().LatentValues())
		if err != nil {
			return bounds, err
		}
		off := max(changed, qmdp-onGrid)
		tells := i > 1 && finer(axes, grids[i-1], finest)
		if i > 0 || grid.Between(finest) == 0 {
			upper := min(top, now.Upper+gridMargin*off)
			bounds = append(bounds, gridBound{upper, upper - min(top, now.Upper), tells})
		}
		if tells && off <= 2*width { // the width of the brackets alone may make such a change
			break
		}
		last = now
	}
	if len(bounds) == 0 || bounds[len(bounds)-1].upper == top {
		return bounds, nil
	}
	k := max(0, len(found)-2)
	missed, _, err := onFinerList(ctx, finerList(m), grids[k], found[k], s, report(len(grids)))
	if err != nil {
		return bounds, err
	}
	lower, upper, err := onFinerList(ctx, solverkit.FinerControls(m), grids[k], found[k], s, report(len(grids)))
	if err != nil {
		return bounds, err
	}
	if b := bounds[len(bounds)-1]; missed+lower+upper > 0 {
		missed = min(gridMargin*(missed+(lower+upper)/2), top-b.upper)
		bounds = append(bounds, gridBound{b.upper + missed, b.margin + missed, b.tells})
	}
	return bounds, nil
}

// onGrid searches on a grid for the sake of the upper bound: a lower bound that lags is left
// alone. It works as the Control of ctx says, and tells progress which share of its samples it
// has taken. The error may be that of ctx.
func (s Solver) onGrid(ctx context.Context, m bcpace.Finite, progress func(share float64)) (*runs.Run, error) {
	plan, err := s.Plan(m)
	if err != nil {
		return nil, err
	}
	x, _, err := s.newSearch(ctx, m, plan, bcpace.Control{Workers: solverkit.ControlOf(ctx).Workers, Progress: func(p bcpace.Progress) {
		progress(float64(p.Samples) / float64(s.MaxSamples))
	}})
	if err != nil {
		return nil, err
	}
	x.(*finiteSearch).lower.judged = true
	r, err := x.explore(ctx)
	if err == nil {
		err = ctx.Err()
	}
	return r, err
}

// onFinerList returns what a finer list, of successors or of controls, adds to the bounds on a
// grid, each 0 or more: to the lower one, an estimate of by how much the optimal value at the
// start falls short of that with the finer list, and to the upper one, which is more where the
// search among the finer list has not come far. Both are 0 where finer is nil.
func onFinerList(ctx context.Context, finer bcpace.Enumerator, axes []dp.GridAxis, coarse bcpace.Certificate, s Solver, progress func(share float64)) (lower, upper float64, err error) {
	if finer == nil {
		return 0, 0, nil
	}
	s.MaxSamples = listSamples
	on, err := s.onGrid(ctx, newGridModel(finer, axes), progress)
	if err != nil {
		return 0, 0, unlessUnsupported(err)
	}
	return max(0, on.Certificate.Lower-coarse.Lower), max(0, on.Certificate.Upper-coarse.Upper), nil
}

// halvings returns up to four grids, the last of them the finest, and each of about half
// the step of the one before it. If all axes are discrete there is only one.
func halvings(finest []dp.GridAxis) [][]dp.GridAxis {
	grids := [][]dp.GridAxis{finest}
	for len(grids) < 4 {
		c := grid.Coarser(grids[0])
		if slices.Equal(c, grids[0]) {
			break
		}
		grids = slices.Insert(grids, 0, c)
	}
	return grids
}

// finer reports whether a grid has more cells than a coarser one on every axis that is not
// discrete and has several on the finest.
func finer(axes, coarse, finest []dp.GridAxis) bool {
	for i, a := range finest {
		if !a.Discrete && a.Cells() > 1 && axes[i].Points == coarse[i].Points {
			return false
		}
	}
	return true
}

// affordable returns the given grid or, between more than two axes, a coarser one that
// lists gridEntries successors at most, by those of the starts.
func affordable(m bcpace.Enumerator, finest []dp.GridAxis) ([]dp.GridAxis, error) {
	if grid.Between(finest) <= grid.FewAxes {
		return finest, nil
	}
	listed, err := listedAtStart(m, grid.Corners(grid.Between(finest)))
	if err != nil {
		return nil, err
	}
	finest, _ = coarsened(finest, listed, gridEntries)
	return finest, nil
}

// coarsened doubles the step of a grid until its points, at each of which so many successors are listed, list no more than most, or it
// has the longest step. It returns how often it has done so.
func coarsened(axes []dp.GridAxis, listed, most float64) (coarse []dp.GridAxis, halvings int) {
	for ; listed*float64(grid.Points(axes)) > most; halvings++ {
		c := grid.Coarser(axes)
		if slices.Equal(c, axes) {
			break
		}
		axes = c
	}
	return axes, halvings
}
