package choose

import (
	"context"
	"errors"
	"math"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/grid"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

const (
	fewPoints   = 256 // of the first grid that is solved to see how long it takes,
	finerPoints = 4   // and how many times as many the next one has
	setUpSolves = 3   // how many times the values of the latents its set-up takes, about
	growth      = 1.1 // the power of the number of points with which they grow, about
)

// fitted returns how many points a grid of certified, the solver of that name, has whose set-up is to take no more than
// half of a share of the time before the deadline of ctx, if its default grid would take more: a coarse grid that is solved
// is worth more than a fine one that is not. It is measured on small grids, each finer than the one before while there is
// time. once is the seconds that it takes to solve the default grid once, about, and 0 where that is the one to take. The
// error is the model's.
func fitted(ctx context.Context, share float64, m bcpace.Model, name string, c bcpace.Control) (points int, once float64, err error) {
	ctx, done := runs.LeaveTime(ctx, 1-share)
	defer done()
	end, timed := ctx.Deadline()
	if _, numbered := bcpace.AsFinite(m); !timed || numbered {
		return 0, 0, nil
	}
	list, err := solverkit.ListControls(m, 0, name)
	if err != nil {
		return 0, 0, nil // as certified will say
	}
	spec, few := list.Spec(), dp.GridOptions{MaxPoints: fewPoints, NoError: true}
	small, err := few.Grid(spec)
	for ; err != nil && few.MaxPoints < 1<<16; small, err = few.Grid(spec) { // the coarsest grid has more points
		few.MaxPoints *= 4
	}
	full, err2 := dp.GridOptions{}.Grid(spec)
	if errors.Join(err, err2) != nil || grid.Points(small) >= grid.Points(full) {
		return 0, 0, nil
	}
	within, cancel := runs.LeaveTime(ctx, 1-fitShare)
	defer cancel()
	enough, _ := within.Deadline()
	took, next := 0.0, small
	for o := few; ; {
		begin := time.Now()
		if _, err := dp.SolveLatentOn(solverkit.WithControl(within, c), bcpace.KeepHorizon(list).(bcpace.Enumerator), o); within.Err() == nil && err != nil {
			if errors.As(err, new(*bcpace.ConformanceError)) {
				return 0, 0, err
			}
			return 0, 0, nil
		}
		if took > 0 && within.Err() != nil {
			break // and the grid before is the last one that was solved
		}
		took, few, small = time.Since(begin).Seconds(), o, next
		o.MaxPoints *= finerPoints
		if next, err = o.Grid(spec); err != nil || grid.Points(next) >= grid.Points(full) ||
			took*float64(grid.Points(next)) > time.Until(enough).Seconds()*float64(grid.Points(small)) {
			break
		}
	}
	left := time.Until(end).Seconds()
	finer := float64(grid.Points(full)) / float64(grid.Points(small))
	times := math.Pow(setUpShare*left/(setUpSolves*took), 1/growth) // as many points as the small grid has
	if times >= finer {
		return 0, 0, nil
	}
	points = max(int(float64(grid.Points(small))*times), few.MaxPoints)
	return points, took * math.Pow(finer, growth), nil
}
