package policysearch

import (
	"context"
	"time"

	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// tabulate takes a part of the time for the values of a new family: policies that were found before keep theirs, with
// which they were judged. Before a deadline, and with more than fewAxes axes of real numbers, they begin on a coarse grid,
// in the place of which come finer ones.
func (x *search) tabulate() {
	f := *x.f
	x.f = &f
	if _, timed := x.ctx.Deadline(); !timed || solverkit.RealAxes(x.f.spec) <= fewAxes {
		within, cancel := runs.LeaveTime(x.ctx, tableShare)
		defer cancel()
		x.fault = x.f.tabulate(within, tablePoints, x.seed)
		return
	}
	within, cancel := runs.LeaveTime(x.ctx, finerShare)
	defer cancel()
	begin := time.Now()
	if x.fault = x.f.tabulate(within, firstPoints, x.seed); x.fault == nil && len(x.f.values) > 0 && within.Err() == nil {
		x.refine(within, time.Since(begin)/valueKinds)
	}
}

// refine puts finer and finer grids in the place of the one of what actions are worth, which took so long: while there is
// time, and while the policy that goes by it earns more. How fine a grid is needed differs much from model to model; where
// there are many axes, some earn less on a finer one.
func (x *search) refine(ctx context.Context, took time.Duration) {
	end, _ := ctx.Deadline()
	policy := x.f.byWorth()
	value, ok := x.meanOf(policy, validationStream, x.valid)
	for points := finer * firstPoints; ok && points <= mostPoints && finerTime*took < time.Until(end); points *= finer {
		before, begin := x.f.values[0], time.Now()
		after, err := x.f.valuesOf(ctx, x.f.valued()[0], points, x.seed)
		if x.fault = err; err != nil || ctx.Err() != nil || after.LatentValues == nil {
			return
		}
		took = time.Since(begin)
		x.f.values[0] = after
		earned := 0.0
		if earned, ok = x.meanOf(policy, validationStream, x.valid); !(earned > value) {
			x.f.values[0] = before
			return
		}
		value = earned
		x.tell(x.progress())
	}
}
