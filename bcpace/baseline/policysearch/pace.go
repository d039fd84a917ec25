package policysearch

import "time"

const (
	pacedShare       = 40 // as validShare, of the steps that there is time for before a deadline
	pacedGenerations = 40 // for which there is time then, if each is as long as the first
	leastEpisodes    = 4  // of a policy in a generation, so that they begin at the start, elsewhere, and with the latent known
)

// pace measures how quick steps are where there is a deadline, and has the search do with what there is time for. Where
// steps are slow, as those of a simulator in another program, the validation of the first policies would take all of it.
func (x *search) pace() {
	end, timed := x.ctx.Deadline()
	if !timed || x.over() {
		return
	}
	begin := time.Now()
	_, ok := x.meanOf(make([]float64, x.f.weights()), paceStream, leastValid)
	took, steps := time.Since(begin), x.steps.Swap(0)
	x.played.Store(0) // a search that no deadline ends is the same as without one
	if left := time.Until(end); ok && took > 0 {
		x.fit(int64(float64(steps) * float64(left) / float64(took)))
	}
}

// fit lowers the episodes of a validation and of a generation, and the steps of which the parts of the search take their
// shares, where so many steps are fewer than the search may take.
func (x *search) fit(steps int64) {
	if steps >= x.limit {
		return
	}
	x.paced = steps
	x.valid = max(leastValid, min(x.valid, int(steps/(pacedShare*int64(x.horizon)))))
	if n := x.f.weights(); n > 0 {
		x.few = max(leastEpisodes, min(x.few, int(steps/int64(pacedGenerations*sizeOf(0, n)*x.depth))))
	}
}
