package bcpace

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
)

// Resume continues an exploration that was interrupted, has spent a budget or was read
// from a checkpoint. It returns the run that Explore(ctx, r.Model(), s) would make, bit
// for bit, and does not change r.
//
// The parameters that only end an exploration, or that matter only after it
// (Explorer.Unlimited), may differ from those of r. To explore further:
//
//	opts := run.Solver.(bcpace.Options)
//	opts.MaxSamples *= 2
//	run, err := bcpace.Resume(ctx, run, opts)
//
// Resume does not play the episodes of r again. If r ended between two updates, as a
// checkpoint always does, Resume takes as long as adding the samples. If r ended
// elsewhere, the Resume method of its Explorer says what it repeats. If r has spent more
// than a limit of s, the exploration ends where that limit would have ended it.
//
// A run that ended in its set-up (Run.InSetUp) has nothing to go on from: Resume explores
// from the beginning.
//
// If the samples do not lead to the values of r, other code or another kind of processor
// has made r, and the error says so. If ctx ends before Resume has reached the end of r,
// Resume returns a copy of r, with the reason in Stop.
//
// Resume checks the samples and values of r as Verify does, and computes the latent
// values again instead of reading them from the file.
//
// The errors are those of Solver.Solve, an *InputError that names a check that failed,
// and an error that wraps ErrFormat for a run file whose state is damaged.
func Resume(ctx context.Context, r *Run, s Explorer) (*Run, error) {
	return s.Resume(ctx, r, Control{})
}

// CheckResume returns an *InputError if s cannot continue r: the two may differ only in
// parameters that end an exploration. It is for authors of explorers.
func CheckResume(r *Run, s Explorer) error {
	if r == nil {
		return &InputError{Where: "Resume", What: "the run", Got: "nil", Want: "a run"}
	}
	if r.Solver.Name() != s.Name() {
		return &InputError{Where: "Resume", What: "the solver", Got: s.Name(), Want: r.Solver.Name() + ", as in the run to resume"}
	}
	return samePath(r.Solver.Unlimited(), s.Unlimited())
}

// Resume implements Explorer. A run that was cut off within an episode, or by MaxSamples,
// no longer has the values of its last whole episode. Then Resume computes the fixed
// points of Q̃ again, as often and in the same order as the run did, as the last bits
// depend on that.
func (o Options) Resume(ctx context.Context, r *Run, c Control) (*Run, error) {
	if err := CheckResume(r, o); err != nil {
		return nil, err
	}
	if err := c.Check(); err != nil {
		return nil, err
	}
	if r.InSetUp() {
		return o.Explore(ctx, r.model, c)
	}
	set, err := o.resolve(r.model)
	if err != nil {
		return nil, err
	}
	values := r.values.(paperValues) // as CheckResume has seen the name
	if r.read {
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
	x, err := newExplorer(r.model, o, set, latent, c)
	if err != nil {
		return nil, err
	}
	x.replay = replay{run: r, whole: values.ResumableEpisodes(r)}
	if r.state != nil && x.replay.fitsLimits(set) {
		err = x.restore(ctx)
	} else {
		for x.run.Stop == "" && x.replay.covers(x) && err == nil {
			err = x.round(ctx)
		}
	}
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return r.Ended(ctx), nil
	}
	return x.explore(ctx)
}

// Ended returns a copy of r whose Stop says how ctx has ended.
func (r *Run) Ended(ctx context.Context) *Run {
	c := *r
	c.Stop = Plan{}.Spent(ctx, 0, 0)
	return &c
}

// samePath returns an error that names the first parameter in which two solvers differ.
func samePath(was, is Explorer) error {
	x, y := reflect.ValueOf(was), reflect.ValueOf(is)
	for i := range x.NumField() {
		name := x.Type().Field(i).Name
		a, b := x.Field(i), y.Field(i)
		if a.Kind() == reflect.Interface { // latent values, which may be a function
			if a.IsNil() != b.IsNil() {
				return &InputError{Where: "options", What: name, Got: "given to one of the two runs only", Want: "the same as in the run to resume"}
			}
			continue
		}
		if a.Kind() == reflect.Slice && a.Len() == 0 && b.Len() == 0 { // nil and empty
			continue
		}
		if !reflect.DeepEqual(a.Interface(), b.Interface()) {
			return &InputError{Where: "options", What: name, Got: optionText(b), Want: optionText(a) + ", as in the run to resume"}
		}
	}
	return nil
}

// optionText writes the value of an option, with quotation marks around a text.
func optionText(x reflect.Value) string {
	if x.Kind() == reflect.String {
		return strconv.Quote(x.String())
	}
	return fmt.Sprint(x)
}

// ResumableEpisodes implements Values: all episodes, or all but those of the last update if the run
// was cut off or ran into Options.MaxSamples.
func (v paperValues) ResumableEpisodes(r *Run) int {
	n := len(r.Trace)
	if r.state != nil {
		return n
	}
	switch r.Stop {
	case StopInterrupted, StopDeadline, StopSamples, StopFault:
		n = max(n-1, 0)
	}
	return n - n%max(v.set.Batch, 1)
}

// replay is the part of an exploration that is known from an earlier run.
type replay struct {
	run    *Run
	whole  int // the number of whole episodes
	sample int // the next sample of run
}

// fitsLimits reports whether an exploration with s would play all whole episodes.
func (p *replay) fitsLimits(s resolvedOptions) bool {
	quiet, batch := 0, max(s.Batch, 1)
	for i, row := range p.run.Trace[:max(p.whole-batch, 0)] {
		if quiet++; row.Added > 0 {
			quiet = 0
		}
		if quiet >= s.Patience && (i+1)%batch == 0 {
			return false
		}
	}
	return (s.MaxEpisodes == 0 || p.whole <= s.MaxEpisodes) && (s.MaxSamples == 0 || p.run.Samples.Len() < s.MaxSamples)
}

// covers reports whether the next round of x is known, and within the limits of x.
func (p *replay) covers(x *explorer) bool {
	end := len(x.run.Trace) + max(x.set.Batch, 1)
	if end > p.whole || x.set.MaxEpisodes > 0 && end > x.set.MaxEpisodes {
		return false
	}
	return x.set.MaxSamples == 0 || p.samplesBefore(end) < x.set.MaxSamples
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
func (x *explorer) replayRound(ctx context.Context) error {
	first := len(x.run.Trace)
	for i := first; i < first+max(x.set.Batch, 1); i++ {
		row := x.replay.run.Trace[i]
		row.Added, row.Sweeps, row.Residual = 0, 0, 0
		x.replayEpisode(i, func() {
			if row.Added++; x.set.Batch == 0 {
				sweeps, residual := x.fixed.solve(ctx)
				row.Sweeps += sweeps
				row.Residual = residual
			}
		})
		x.run.Trace = append(x.run.Trace, row)
	}
	if rows := x.run.Trace[first:]; x.set.Batch > 0 && slices.ContainsFunc(rows, func(e Episode) bool { return e.Added > 0 }) {
		last := &rows[len(rows)-1]
		last.Sweeps, last.Residual = x.fixed.solve(ctx)
	}
	return nil
}

// replayEpisode adds the samples of an episode, and calls each after every one.
func (x *explorer) replayEpisode(episode int, each func()) {
	p := &x.replay
	for end := p.samplesBefore(episode + 1); p.sample < end; p.sample++ {
		x.fixed.add(p.run.Samples.At(p.sample))
		each()
	}
}

// check compares the rows of a trace, beginning with row from, with those of the run.
func (p *replay) check(trace []Episode, from int) error {
	for i, row := range trace[from:] {
		if was := p.run.Trace[from+i]; row != was {
			return fmt.Errorf("the run cannot be resumed: in episode %d, its %d samples give the value %v with the residual %v, and the run has %d samples, %v and %v; "+
				"other code or another kind of processor has made it: explore from the beginning", from+i, row.Added, row.Value, row.Residual, was.Added, was.Value, was.Residual)
		}
	}
	return nil
}

// Contradicted returns the error of a run that does not agree with what its samples
// lead to.
func Contradicted(format string, args ...any) error {
	return fmt.Errorf("the run cannot be resumed: %s; other code or another kind of processor has made it: explore from the beginning", fmt.Sprintf(format, args...))
}

// restore brings x to the state of the run to resume, unless ctx ends.
func (x *explorer) restore(ctx context.Context) error {
	r, grown := x.replay.run, false
	x.fixed.skipping()
	for i, row := range r.Trace {
		if ctx.Err() != nil {
			return nil
		}
		x.replayEpisode(i, func() {
			if grown = true; x.set.Batch == 0 {
				x.fixed.skip(ctx)
			}
		})
		if grown && x.set.Batch > 0 && (i+1)%x.set.Batch == 0 {
			x.fixed.skip(ctx)
			grown = false
		}
		x.run.Steps += row.Steps
		if x.quiet++; row.Added > 0 {
			x.quiet = 0
		}
	}
	if err := x.fixed.restore(r.Samples.Q, r.state); err != nil {
		return err
	}
	x.run.Trace = slices.Clone(r.Trace)
	x.run.Value = x.value()
	if x.replay.sample != r.Samples.Len() || x.run.Value != r.Value {
		return Contradicted("%d of its %d samples belong to its episodes, and they give the value %v, not %v", x.replay.sample, r.Samples.Len(), x.run.Value, r.Value)
	}
	x.run.Stop = x.stop(ctx)
	return nil
}
