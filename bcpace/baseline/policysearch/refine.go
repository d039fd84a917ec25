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
func (s *search) tabulate() {
	f := *s.f
	s.f = &f
	if _, timed := s.ctx.Deadline(); !timed || solverkit.RealAxes(s.f.spec) <= fewAxes {
		within, cancel := runs.LeaveTime(s.ctx, tableShare)
		defer cancel()
		s.fault = s.f.tabulate(within, tablePoints, s.seed)
		return
	}
	within, cancel := runs.LeaveTime(s.ctx, finerShare)
	defer cancel()
	begin := time.Now()
	if s.fault = s.f.tabulate(within, firstPoints, s.seed); s.fault == nil && len(s.f.values) > 0 && within.Err() == nil {
		s.refine(within, time.Since(begin)/valueKinds)
	}
}

// refine puts finer and finer grids in the place of the one of what actions are worth, which took so long: while there is
// time, and while the policy that goes by it earns more. How fine a grid is needed differs much from model to model; where
// there are many axes, some earn less on a finer one.
func (s *search) refine(ctx context.Context, took time.Duration) {
	end, _ := ctx.Deadline()
	policy := s.f.byWorth()
	value, ok := s.meanOf(policy, validationStream, s.valid)
	for points := finer * firstPoints; ok && points <= mostPoints && finerTime*took < time.Until(end); points *= finer {
		before, begin := s.f.values[0], time.Now()
		after, err := s.f.valuesOf(ctx, s.f.valued()[0], points, s.seed)
		if s.fault = err; err != nil || ctx.Err() != nil || after.LatentValues == nil {
			return
		}
		took = time.Since(begin)
		s.f.values[0] = after
		earned := 0.0
		if earned, ok = s.meanOf(policy, validationStream, s.valid); !(earned > value) {
			s.f.values[0] = before
			return
		}
		value = earned
		s.tell(s.progress())
	}
}
