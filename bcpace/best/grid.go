package best

import (
	"context"
	"errors"
	"math"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/grid"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

const (
	fewPoints   = 256  // of the grid that is solved to see how long it takes
	fitShare    = 0.15 // of the time before the deadline, at most, for that
	setUpShare  = 0.5  // of that time, for the set-up of certified
	setUpSolves = 3    // how many times the values of the latents its set-up takes, about
	growth      = 1.3  // the power of the number of points with which they grow, about
)

// fitted returns certified with a grid whose set-up is to take no more than half of the time before the deadline
// of ctx, if its default grid would take more: a coarse grid that is solved is worth more than a fine one that is
// not. It is measured on a small grid; smaller says that the grid is not the default one. The error is the model's.
func fitted(ctx context.Context, m bcpace.Model, s certified.Solver, c bcpace.Control) (fit certified.Solver, smaller bool, err error) {
	end, timed := ctx.Deadline()
	if _, numbered := bcpace.AsFinite(m); !timed || numbered {
		return s, false, nil
	}
	list, err := solverkit.ListControls(m, s.ControlPoints, s.Name())
	if err != nil {
		return s, false, nil // as certified will say
	}
	spec, few := list.Spec(), dp.GridOptions{MaxPoints: fewPoints, NoError: true}
	small, err := few.Grid(spec)
	for ; err != nil && few.MaxPoints < 1<<16; small, err = few.Grid(spec) { // the coarsest grid has more points
		few.MaxPoints *= 4
	}
	full, err2 := dp.GridOptions{}.Grid(spec)
	if errors.Join(err, err2) != nil || grid.Points(small) >= grid.Points(full) {
		return s, false, nil
	}
	within, cancel := runs.LeaveTime(ctx, 1-fitShare)
	defer cancel()
	begin := time.Now()
	left := time.Until(end).Seconds()
	if _, err := dp.SolveLatentOn(solverkit.WithControl(within, c), bcpace.KeepHorizon(list).(bcpace.Enumerator), few); within.Err() == nil && err != nil {
		if errors.As(err, new(*bcpace.ConformanceError)) {
			return s, false, err
		}
		return s, false, nil
	}
	took := time.Since(begin).Seconds()
	points := float64(grid.Points(small)) * math.Pow(setUpShare*left/(setUpSolves*took), 1/growth)
	if points >= float64(grid.Points(full)) {
		return s, false, nil
	}
	s.Grid.MaxPoints = max(int(points), few.MaxPoints)
	return s, true, nil
}
