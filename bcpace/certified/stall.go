package certified

import "bayescpace/bcpace/runs"

const (
	// The gap has stalled if it is still stallShare of what it was stallSteps steps of trials
	// ago, but not if it is more than begunShare of the first one: then trials have yet to find
	// what pays, which may be far.
	stallSteps = 25_000
	stallShare = 0.98
	begunShare = 0.75
	// nearShare is the part of a start's gap with which the width of a trial then begins.
	nearShare = 0.8
)

// stall says whether the gap of a search has stalled in some round.
type stall struct {
	found bool
	// The rows from this one on have so many steps: stallSteps at least, if from > 0.
	from, steps int
}

// look looks at the last row of a trace; it must have looked at the others before.
func (s *stall) look(trace []runs.Episode) {
	if s.found || len(trace) == 0 {
		return
	}
	last := trace[len(trace)-1]
	s.steps += last.Steps
	for s.steps-trace[s.from].Steps >= stallSteps {
		s.steps -= trace[s.from].Steps
		s.from++
	}
	s.found = s.from > 0 && last.Gap > stallShare*trace[s.from-1].Gap && last.Gap <= begunShare*trace[0].Gap
}
