package certified

import (
	"context"
	"errors"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/grid"
)

const (
	// gridMargin is how many times the estimated error of a grid is added to its
	// upper bound.
	gridMargin = 2
	// gridSamples is how many samples the search on one grid takes at most.
	gridSamples = 10_000
)

// UpperAtStart implements bcpace.Values: it returns an upper bound of the optimal value at the start of a model
// without numbered states, by dynamic programming on grids. It takes the successors
// that the model lists for the model's own, and is no proof, as the error of a grid
// is estimated. It uses neither samples nor Solver.LipState.
//
// Each of up to four grids makes a Finite model (gridModel), whose optimal value
// certify brackets to ε/16. The step is halved from grid to grid until the error is
// estimated at ε/8 or less, or the step is that of SolveGrid. Where the error falls
// in proportion to the step or faster, what is left of it after a halving is at most
// what this halving has changed, half of what the one before it has, and so on. The
// estimate is the largest of these, as far as the brackets allow, and ε/16 at least,
// since two grids may agree by chance; gridMargin times that is added. A grid that
// cannot be halved, as all axes are discrete, has no error. Where the search on a grid
// runs into its limit, its bracket may be wide: the grid before it decides, if that has
// an estimate.
//
// Where the tables of the first grids are too large for memory, there is no bound but
// the range of returns. The errors are those of certify.
func (e *continuum) UpperAtStart(ctx context.Context, r *bcpace.Run) (float64, error) {
	if r.Certificate.Assumes == bcpace.AssumesSlope { // it is older than this bound
		return r.Value, nil
	}
	return gridUpper(ctx, e.model, r.Epsilon()/16)
}

// gridUpper is UpperAtStart with brackets of that width.
func gridUpper(ctx context.Context, m bcpace.Enumerator, width float64) (float64, error) {
	_, top := bcpace.RangeOfReturns(m)
	grids, err := halvings(m.Spec())
	if err != nil {
		return top, err
	}
	s := Solver{Epsilon: width, MaxSamples: gridSamples}
	upper, changed, last := top, 0.0, bcpace.Certificate{}
	for i, axes := range grids {
		on, err := s.search(ctx, newGridModel(m, axes), bcpace.Control{})
		if large := new(bcpace.UnsupportedError); errors.As(err, &large) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return top, err
		}
		if i > 1 && on.Stop == bcpace.StopSamples && upper < top {
			break
		}
		now := on.Certificate
		if i > 0 {
			changed = max(changed/2, now.Upper-last.Lower, last.Upper-now.Lower, width)
		}
		if i > 0 || len(grids) == 1 {
			upper = min(top, now.Upper+gridMargin*changed)
		}
		if i > 1 && changed <= 2*width { // the brackets alone may make this much
			break
		}
		last = now
	}
	return upper, nil
}

// halvings returns up to four grids, each of about half the step of the one before
// it, up to that of SolveGrid: one where all axes are discrete.
func halvings(spec bcpace.Spec) ([][]bcpace.GridAxis, error) {
	finest, err := bcpace.GridOptions{}.Grid(spec)
	if err != nil {
		return nil, err
	}
	grids := [][]bcpace.GridAxis{finest}
	for len(grids) < 4 {
		c := grid.Coarser(grids[0])
		if slices.Equal(c, grids[0]) {
			break
		}
		grids = slices.Insert(grids, 0, c)
	}
	return grids, nil
}
