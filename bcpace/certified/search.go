package certified

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
)

// searchBase is what finiteSearch and continuousSearch have in common.
type searchBase struct {
	run     *runs.Run
	plan    runs.Plan
	control bcpace.Control
	starts  []bcpace.Start
	// cutShort says that a limit cut the last round short: it ran into
	// Solver.MaxSamples, or its context ended within a batch.
	cutShort bool
}

// samplesSpent reports whether the search has all the samples that it may take.
func (s *searchBase) samplesSpent(samples int) bool {
	return s.plan.MaxSamples > 0 && samples >= s.plan.MaxSamples
}

// endRound enters a round into the run and decides whether to continue. gap is the
// largest gap of a start, reached says that it is small enough, and stuck that no bound
// moves any more.
func (s *searchBase) endRound(ctx context.Context, row runs.Episode, samples int, gap float64, reached, stuck bool) {
	row.Escapes = row.Added
	s.run.Steps += row.Steps
	s.run.Trace = append(s.run.Trace, row)
	s.run.Value = row.Value
	p := bcpace.Progress{Episodes: len(s.run.Trace), Samples: samples, Steps: s.run.Steps, Value: row.Value, Gap: gap, Epsilon: s.plan.Epsilon}
	if s.control.Progress != nil {
		s.control.Progress(p)
	}
	s.run.Stop = s.plan.Spent(ctx, len(s.run.Trace), samples)
	switch {
	case s.cutShort && ctx.Err() != nil: // the bounds are not those of a whole round
	case reached:
		s.run.Stop = stop.Certified
	case stuck && !s.cutShort:
		s.run.Stop = stop.Rounding
	}
	if s.run.Stop == "" && s.control.Checkpoint != nil {
		s.control.Checkpoint(p, s.run)
	}
}

// stopReasons numbers the reasons to stop that are not a limit, for the state of a run.
var stopReasons = []stop.Reason{1: stop.Certified, 2: stop.Rounding}

// stopNumber returns the number of the reason why the search has stopped, or 0 if a
// search may continue from its state.
func (s *searchBase) stopNumber() int32 {
	if s.cutShort {
		return 0
	}
	return int32(max(0, slices.Index(stopReasons, s.run.Stop)))
}

// savedRounds returns the number of rounds of a run after which its state was saved,
// and the number of samples at that moment: 0, 0 without a state.
func savedRounds(r *runs.Run) (rounds, samples int) {
	state := r.State()
	if len(state) < 4 {
		return 0, 0
	}
	rounds = int(int32(binary.LittleEndian.Uint32(state)))
	if rounds < 0 || rounds > len(r.Trace) {
		return 0, 0
	}
	for _, row := range r.Trace[:rounds] {
		if row.Added < 0 || row.Added > r.Samples.Len()-samples {
			return 0, 0
		}
		samples += row.Added
	}
	return rounds, samples
}

// fitsLimits reports whether an exploration with the limits of plan would play all of
// the first rounds of r.
func fitsLimits(r *runs.Run, rounds int, plan runs.Plan) bool {
	before, samples := 0, 0
	for _, row := range r.Trace[:rounds] {
		before, samples = samples, samples+row.Added
	}
	return (plan.MaxEpisodes == 0 || rounds <= plan.MaxEpisodes) && (plan.MaxSamples == 0 || samples <= plan.MaxSamples && (rounds == 0 || before < plan.MaxSamples))
}

// resumeAt enters the first rounds of r into the run of x. value and gap, which the
// restored bounds have at the start, must be those of the last of these rounds.
func (s *searchBase) resumeAt(ctx context.Context, r *runs.Run, rounds, samples int, stop int32, value, gap float64) error {
	if stop < 0 || int(stop) >= len(stopReasons) {
		return fmt.Errorf("%w: its state names stop reason %d, which does not exist", runs.ErrFormat, stop)
	}
	if rounds == 0 {
		return nil // an exploration has one round at least
	}
	if last := r.Trace[rounds-1]; last.Value != value || last.Gap != gap {
		return runs.Contradicted("after %d episodes its state has the value %v with the gap %v, and its trace has %v with %v", rounds, value, gap, last.Value, last.Gap)
	}
	s.run.Trace, s.run.Value = slices.Clone(r.Trace[:rounds]), value
	for _, row := range s.run.Trace {
		s.run.Steps += row.Steps
	}
	if s.run.Stop = s.plan.Spent(ctx, rounds, samples); stop > 0 {
		s.run.Stop = stopReasons[stop]
	}
	return nil
}

// undoLog records the earlier values of the entries of an array that have changed since
// a round began.
type undoLog[T any] struct {
	n       int // the entries of the array when the round began
	changed []entry[T]
}

type entry[T any] struct {
	at    int32
	value T
}

// begin begins a round with n entries.
func (l *undoLog[T]) begin(n int) { l.n, l.changed = n, l.changed[:0] }

// record must be called before entry i changes, with its present value.
func (l *undoLog[T]) record(i int32, value T) {
	if int(i) < l.n {
		l.changed = append(l.changed, entry[T]{i, value})
	}
}

// undone returns the array as it was when the round began, from the array as it is now.
func (l *undoLog[T]) undone(now []T) []T {
	x := slices.Clone(now[:l.n])
	for _, e := range slices.Backward(l.changed) {
		x[e.at] = e.value
	}
	return x
}
