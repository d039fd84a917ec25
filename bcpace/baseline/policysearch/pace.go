package policysearch

import "time"

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
