package bcpace

import (
	"context"
	"fmt"
	"reflect"
	"slices"
)

// Resume goes on with an exploration that was interrupted, has spent a budget or
// was read from a checkpoint. What comes out is the run that
// Explore(ctx, r.Model(), s) makes, bit for bit; r stays as it is.
//
// The parameters that only end an exploration, or that matter only after it
// (Explorer.Unlimited), may differ from those of r. To explore further:
//
//	opts := run.Solver.(bcpace.Options)
//	opts.MaxSamples *= 2
//	run, err := bcpace.Resume(ctx, run, opts)
//
// What r has is not played again. From a checkpoint, and from a run that Explore
// or Resume has returned, ended between two updates, it takes as long as to put
// the samples in. A budget that r has overspent ends the exploration where it would
// have. How much of a run that was cut off elsewhere is gone through again, its
// Explorer says.
//
// Where the samples do not give the values of r, it was made by other code or on
// another kind of processor, and the error says so. Cancelled on the way to where r
// was, Resume returns a copy of r, with the reason in Stop.
//
// Nothing that r says is taken for granted: its samples and values are
// checked as Verify does, and the latent values that a file holds are solved for.
//
// The errors are those of Solver.Solve, an *InputError that names what does not hold,
// and one that wraps ErrFormat for a run from a file whose state is damaged.
func Resume(ctx context.Context, r *Run, s Explorer) (*Run, error) {
	return s.Resume(ctx, r, Control{})
}

// CheckResume returns an *InputError that says why s cannot go on with r: another
// parameter with which an exploration takes another course. It is for authors of
// explorers.
func CheckResume(r *Run, s Explorer) error {
	if r == nil {
		return &InputError{Where: "Resume", What: "the run", Got: "nil", Want: "a run"}
	}
	if r.Solver.Name() != s.Name() {
		return &InputError{Where: "Resume", What: "the solver", Got: s.Name(), Want: r.Solver.Name() + ", as in the run to go on with"}
	}
	return samePath(r.Solver.Unlimited(), s.Unlimited())
}

// Resume implements Explorer. A run that was cut off within an episode or
// ran into MaxSamples has no longer the values of its last whole episode: then the
// fixed points of Q̃ are found again, as often and in the order in which they were,
// as the last bits depend on that.
func (o Options) Resume(ctx context.Context, r *Run, c Control) (*Run, error) {
	if err := CheckResume(r, o); err != nil {
		return nil, err
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
	x.past = past{run: r, whole: values.Whole(r)}
	if r.state != nil && x.past.within(set) {
		err = x.takeOver(ctx)
	} else {
		for x.run.Stop == "" && x.past.holds(x) && err == nil {
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

// Ended returns a copy of r that ctx has ended.
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
				return &InputError{Where: "options", What: name, Got: "given to one of the two runs only", Want: "the same as in the run to go on with"}
			}
			continue
		}
		if a.Kind() == reflect.Slice && a.Len() == 0 && b.Len() == 0 { // nil and empty
			continue
		}
		if !reflect.DeepEqual(a.Interface(), b.Interface()) {
			return &InputError{Where: "options", What: name, Got: optionText(b), Want: optionText(a) + ", as in the run to go on with"}
		}
	}
	return nil
}

// optionText writes the value of an option; that of a text can be seen to be "".
func optionText(x reflect.Value) string {
	if x.Kind() == reflect.String {
		return quote(x.String())
	}
	return fmt.Sprint(x)
}

// Whole implements Values: all episodes, or all but those of the last update where the
// run was cut off or ran into Options.MaxSamples.
func (v paperValues) Whole(r *Run) int {
	n := len(r.Trace)
	if r.state != nil {
		return n
	}
	switch r.Stop {
	case StopInterrupted, StopDeadline, StopSamples:
		n = max(n-1, 0)
	}
	return n - n%max(v.set.Batch, 1)
}

// past is what is known of an exploration before it begins.
type past struct {
	run    *Run
	whole  int // episodes
	sample int // the next one of run
}

// within tells whether nothing ends an exploration before the past is through.
func (p *past) within(s settings) bool {
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

// holds tells whether the next round of x is in the past, with the limits that x
// has.
func (p *past) holds(x *explorer) bool {
	end := len(x.run.Trace) + max(x.set.Batch, 1)
	if end > p.whole || x.set.MaxEpisodes > 0 && end > x.set.MaxEpisodes {
		return false
	}
	return x.set.MaxSamples == 0 || p.until(end) < x.set.MaxSamples
}

// until returns how many samples were there when an episode began, which is not
// before the next sample's.
func (p *past) until(episode int) int {
	c, i := p.run.Samples, p.sample
	for i < c.Len() && int(c.Episode[i]) < episode {
		i++
	}
	return i
}

// repeat does what the next round did to the samples and to their values.
func (x *explorer) repeat(ctx context.Context) error {
	first := len(x.run.Trace)
	for i := first; i < first+max(x.set.Batch, 1); i++ {
		row := x.past.run.Trace[i]
		row.Added, row.Sweeps, row.Residual = 0, 0, 0
		x.addAgain(i, func() {
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

// addAgain adds the samples of an episode, and calls each after every one.
func (x *explorer) addAgain(episode int, each func()) {
	p := &x.past
	for end := p.until(episode + 1); p.sample < end; p.sample++ {
		x.fixed.add(p.run.Samples.At(p.sample))
		each()
	}
}

// agrees compares the episodes of a trace from one on with those of the past.
func (p *past) agrees(trace []Episode, from int) error {
	for i, row := range trace[from:] {
		if was := p.run.Trace[from+i]; row != was {
			return fmt.Errorf("episode %d cannot be gone through again: its %d samples give the value %v with a residual of %v, and %d gave %v with %v; "+
				"the run was made by other code or on another kind of processor: explore anew", from+i, row.Added, row.Value, row.Residual, was.Added, was.Value, was.Residual)
		}
	}
	return nil
}

// Contradicted returns the error of a run that does not agree with what its samples
// lead to.
func Contradicted(format string, args ...any) error {
	return fmt.Errorf("the run cannot be gone on with: %s; it was made by other code or on another kind of processor: explore anew", fmt.Sprintf(format, args...))
}

// takeOver brings x to where the past was settled, unless ctx is cancelled.
func (x *explorer) takeOver(ctx context.Context) error {
	r, grown := x.past.run, false
	x.fixed.skipping()
	for i, row := range r.Trace {
		if ctx.Err() != nil {
			return nil
		}
		x.addAgain(i, func() {
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
	if x.past.sample != r.Samples.Len() || x.run.Value != r.Value {
		return Contradicted("%d of its %d samples belong to its episodes, and the value is %v and was %v", x.past.sample, r.Samples.Len(), x.run.Value, r.Value)
	}
	x.run.Stop = x.stop(ctx)
	return nil
}
