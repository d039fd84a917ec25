package certified

import (
	"context"
	"slices"

	"bayescpace/bcpace"
)

// search is what the searches of the two certified algorithms have in common.
type search struct {
	run     *bcpace.Run
	plan    bcpace.Plan
	control bcpace.Control
	starts  []bcpace.Start
	// cut says that the last round is not what it is without a limit: it ran into
	// Solver.MaxSamples, or its context ended within a batch.
	cut bool
}

// full says that the sample budget is spent.
func (x *search) full(samples int) bool {
	return x.plan.MaxSamples > 0 && samples >= x.plan.MaxSamples
}

// end enters a round into the run and decides whether to go on. gap is that of
// the start where it is the largest, reached says that it is small enough, and
// stuck that nothing moves any more.
func (x *search) end(ctx context.Context, row bcpace.Episode, samples int, gap float64, reached, stuck bool) {
	row.Escapes = row.Added
	x.run.Steps += row.Steps
	x.run.Trace = append(x.run.Trace, row)
	x.run.Value = row.Value
	p := bcpace.Progress{Episodes: len(x.run.Trace), Samples: samples, Steps: x.run.Steps, Value: row.Value, Gap: gap, Epsilon: x.plan.Epsilon}
	if x.control.Progress != nil {
		x.control.Progress(p)
	}
	x.run.Stop = x.plan.Spent(ctx, len(x.run.Trace), samples)
	switch {
	case x.cut && ctx.Err() != nil: // other bounds than those of a whole round
	case reached:
		x.run.Stop = bcpace.StopCertified
	case stuck && !x.cut:
		x.run.Stop = bcpace.StopRounding
	}
	if x.run.Stop == "" && x.control.Checkpoint != nil {
		x.control.Checkpoint(p, x.run)
	}
}

// ends are the reasons to stop that no limit has to do with, as numbers in a state.
var ends = []bcpace.StopReason{1: bcpace.StopCertified, 2: bcpace.StopRounding}

// ended returns the number of the reason why the search has stopped, 0 where it
// goes on from its state.
func (x *search) ended() int32 {
	if x.cut {
		return 0
	}
	return int32(max(0, slices.Index(ends, x.run.Stop)))
}

// ledger remembers what the entries of an array were when a round began, of those
// that have changed.
type ledger[T any] struct {
	n   int // entries then
	was []entry[T]
}

type entry[T any] struct {
	at    int32
	value T
}

// open begins a round with n entries.
func (l *ledger[T]) open(n int) { l.n, l.was = n, l.was[:0] }

// note is called before entry i changes, with what it is.
func (l *ledger[T]) note(i int32, value T) {
	if int(i) < l.n {
		l.was = append(l.was, entry[T]{i, value})
	}
}

// before returns what the array was, given what it is.
func (l *ledger[T]) before(now []T) []T {
	x := slices.Clone(now[:l.n])
	for _, e := range slices.Backward(l.was) {
		x[e.at] = e.value
	}
	return x
}
