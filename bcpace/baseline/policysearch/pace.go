package policysearch

import (
	"context"
	"time"

	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

const (
	pacedShare       = 40 // as validShare, of the steps that there is time for before a deadline
	pacedGenerations = 40 // for which there is time then, if each is as long as the first
	leastEpisodes    = 4  // of a policy in a generation, so that they begin at the start, elsewhere, and with the latent known
)

// pace measures how quick steps are where there is a deadline, and has the search do with what there is time for. Where
// steps are slow, as those of a simulator in another program, the validation of the first policies would take all of it.
func (s *search) pace() {
	end, timed := s.ctx.Deadline()
	if !timed || s.over() {
		return
	}
	begin := time.Now()
	_, ok := s.meanOf(make([]float64, s.f.weights()), paceStream, leastValid)
	took, steps := time.Since(begin), s.steps.Swap(0)
	s.played.Store(0) // a search that no deadline ends is the same as without one
	if left := time.Until(end); ok && took > 0 {
		s.fit(int64(float64(steps) * float64(left) / float64(took)))
	}
}

// fit lowers the episodes of a validation and of a generation, and the steps of which the parts of the search take their
// shares, where so many steps are fewer than the search may take.
func (s *search) fit(steps int64) {
	if steps >= s.limit {
		return
	}
	s.paced = steps
	s.valid = max(leastValid, min(s.valid, int(steps/(pacedShare*int64(s.horizon)))))
	if n := s.f.weights(); n > 0 {
		s.few = max(leastEpisodes, min(s.few, int(steps/int64(pacedGenerations*sizeOf(0, n)*s.depth))))
	}
}

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
