package cpace

import (
	"cmp"
	"context"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// Resume implements Explorer. A run that was cut off within an episode, or by MaxSamples,
// no longer has the values of its last whole episode, but those after an earlier one. From
// there on, or from the beginning where it has none, Resume computes the fixed points of Q̃
// again, as often and in the same order as the run did, as the last bits depend on that.
func (o Solver) Resume(ctx context.Context, r *runs.Run, c bcpace.Control) (*runs.Run, error) {
	if err := cmp.Or(runs.CheckResume(r, o), c.Check()); err != nil {
		return nil, err
	}
	if r.InSetUp() {
		return o.Explore(ctx, r.Model(), c)
	}
	set, err := o.resolve(r.Model())
	if err != nil {
		return nil, err
	}
	values := r.Values().(paperValues) // as runs.CheckResume has seen the name
	set.proved, set.informed = values.set.proved, values.set.informed
	if r.Unverified() {
		if err := values.verifyLatent(ctx, r); err != nil && ctx.Err() != nil {
			return r.Ended(ctx), nil
		} else if err != nil {
			return nil, err
		}
	}
	latent := values.latent
	if o.Latent != nil {
		latent = o.Latent
	}
	x, err := newExplorer(r.Model(), o, set, latent, c)
	if err != nil {
		return nil, err
	}
	x.replay = replay{run: r, whole: values.ResumableEpisodes(r)}
	if r.State() != nil && x.replay.fitsLimits(set) {
		err = x.restore(ctx)
	}
	for err == nil && ctx.Err() == nil && x.run.Stop == "" && x.replay.covers(x) {
		err = x.round(ctx)
	}
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return r.Ended(ctx), nil
	}
	return x.explore(ctx)
}

// ResumableEpisodes implements Values: all episodes, or all but those of the last update if the run
// was cut off or ran into Solver.MaxSamples.
func (v paperValues) ResumableEpisodes(r *runs.Run) int {
	n := len(r.Trace)
	switch r.Stop {
	case stop.Interrupted, stop.Deadline, stop.Samples, stop.Fault:
		n = max(n-1, 0)
	}
	return max(n-n%max(v.set.Batch, 1), r.Kept())
}

// replay is the part of an exploration that is known from an earlier run.
type replay struct {
	run    *runs.Run
	whole  int // the number of whole episodes
	sample int // the next sample of run
}

// fitsLimits reports whether an exploration with s would play all episodes before the state of the run.
func (p *replay) fitsLimits(s resolvedOptions) bool {
	quiet, batch, kept := 0, max(s.Batch, 1), p.run.Kept()
	for i, row := range p.run.Trace[:max(kept-batch, 0)] {
		if quiet++; row.Added > 0 {
			quiet = 0
		}
		if quiet >= s.Patience && (i+1)%batch == 0 {
			return false
		}
	}
	return (s.MaxEpisodes == 0 || kept <= s.MaxEpisodes) && (s.MaxSamples == 0 || p.samplesBefore(kept) < s.MaxSamples)
}

// covers reports whether the next round of x is known, and within the limits of x.
func (p *replay) covers(x *explorer) bool {
	end := len(x.run.Trace) + max(x.set.Batch, 1)
	return end <= p.whole && (x.set.MaxEpisodes == 0 || end <= x.set.MaxEpisodes) && (x.set.MaxSamples == 0 || p.samplesBefore(end) < x.set.MaxSamples)
}

// samplesBefore returns how many samples the run had when an episode began, which must
// not come before that of the next sample.
func (p *replay) samplesBefore(episode int) int {
	c, i := p.run.Samples, p.sample
	for i < c.Len() && int(c.Episode[i]) < episode {
		i++
	}
	return i
}

// replayRound adds the samples of the next round, and updates values as the round did.
func (ex *explorer) replayRound(ctx context.Context) {
	first := len(ex.run.Trace)
	for i := first; i < first+max(ex.set.Batch, 1); i++ {
		row := ex.replay.run.Trace[i]
		row.Added, row.Sweeps, row.Residual = 0, 0, 0
		ex.replayEpisode(i, func() {
			if row.Added++; ex.set.Batch == 0 {
				sweeps, residual := ex.fixed.solve(ctx)
				row.Sweeps, row.Residual = row.Sweeps+sweeps, residual
			}
		})
		ex.run.Trace = append(ex.run.Trace, row)
	}
	if rows := ex.run.Trace[first:]; ex.set.Batch > 0 && slices.ContainsFunc(rows, func(e runs.Episode) bool { return e.Added > 0 }) {
		last := &rows[len(rows)-1]
		last.Sweeps, last.Residual = ex.fixed.solve(ctx)
	}
}

// replayEpisode adds the samples of an episode, and calls each after every one.
func (ex *explorer) replayEpisode(episode int, each func()) {
	p := &ex.replay
	for end := p.samplesBefore(episode + 1); p.sample < end; p.sample++ {
		ex.fixed.add(p.run.Samples.At(p.sample))
		each()
	}
}

// checkReplayed compares the rows of the trace, beginning with row from, with those of the run. Other
// code may have found the fixed points in another order, and so to other bits, which are both within
// the tolerance of Q̃.
func (ex *explorer) checkReplayed(from int) error {
	slack := 2 * (ex.set.Epsilon/1000 + ex.set.tolerance/(1-ex.est.spec.Discount))
	for i, row := range ex.run.Trace[from:] {
		if was := ex.replay.run.Trace[from+i]; row.Added != was.Added || !(math.Abs(row.Value-was.Value) <= slack) {
			return runs.Contradicted("in episode %d, its %d samples give the value %v, and the run has %d samples and %v", from+i, row.Added, row.Value, was.Added, was.Value)
		}
	}
	return nil
}

// restore brings x to the state of the run to resume, unless ctx ends.
func (ex *explorer) restore(ctx context.Context) error {
	r, value := ex.replay.run, ex.run.Value
	ctx = solverkit.WithControl(ctx, ex.control)
	ex.fixed.skipping()
	for end := r.Kept() - max(ex.set.Batch, 1); len(ex.run.Trace) <= end; {
		if ctx.Err() != nil {
			return nil
		}
		ex.replayRound(ctx)
		solverkit.ReportPhase(ctx, "samples of the run", float64(ex.replay.sample)/float64(r.Samples.Len()))
	}
	for i, row := range r.Trace[:len(ex.run.Trace)] {
		ex.run.Trace[i], value = row, row.Value
		ex.count(row)
	}
	if err := ex.fixed.restore(ctx, r.Samples.Q, r.State()); err != nil || ctx.Err() != nil {
		return err
	}
	ex.run.Value = ex.value()
	if n := ex.replay.samplesBefore(len(r.Trace)); n != r.Samples.Len() || ex.run.Value != value || len(ex.run.Trace) != r.Kept() || r.Kept() == len(r.Trace) && value != r.Value {
		return runs.Contradicted("%d of its %d samples belong to its episodes, and after %d of these, where its state is one after %d, they give the value %v, not %v", n, r.Samples.Len(), len(ex.run.Trace), r.Kept(), ex.run.Value, value)
	}
	ex.run.Stop = ex.stop(ctx)
	return nil
}
