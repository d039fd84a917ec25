package certified

import (
	"context"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
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
func (x *searchBase) samplesSpent(samples int) bool {
	return x.plan.MaxSamples > 0 && samples >= x.plan.MaxSamples
}

// endRound enters a round into the run and decides whether to continue. gap is the
// largest gap of a start, reached says that it is small enough, and stuck that no bound
// moves any more.
func (x *searchBase) endRound(ctx context.Context, row runs.Episode, samples int, gap float64, reached, stuck bool) {
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
	case x.cutShort && ctx.Err() != nil: // the bounds are not those of a whole round
	case reached:
		x.run.Stop = bcpace.StopCertified
	case stuck && !x.cutShort:
		x.run.Stop = bcpace.StopRounding
	}
	if x.run.Stop == "" && x.control.Checkpoint != nil {
		x.control.Checkpoint(p, x.run)
	}
}

// stopReasons numbers the reasons to stop that are not a limit, for the state of a run.
var stopReasons = []bcpace.StopReason{1: bcpace.StopCertified, 2: bcpace.StopRounding}

// stopNumber returns the number of the reason why the search has stopped, or 0 if a
// search may continue from its state.
func (x *searchBase) stopNumber() int32 {
	if x.cutShort {
		return 0
	}
	return int32(max(0, slices.Index(stopReasons, x.run.Stop)))
}
