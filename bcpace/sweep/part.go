package sweep

import (
	"bytes"
	"context"
	"io"
	"sync/atomic"

	"bayescpace/bcpace"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/bcpace/store"
)

// pace decides when a part is kept.
type pace interface {
	Due() bool
	Done()
}

// newPace is replaced in tests.
var newPace = func() pace {
	p := new(store.Interval)
	p.Begin()
	return p
}

// taskPart is how far one task has come that has not ended, so that who takes the task next goes on from there. One that is
// lost costs no more than computing it again.
type taskPart struct {
	folder *local
	key    string
	used   atomic.Bool // it is or was kept
	pace   pace        // nil where nothing is kept
}

// The first line of a part says whether it is of an exploration that goes on, or of one that has
// ended, after which the trial evaluates its policy.
const (
	openPart  = "bayescpace part of an exploration\n"
	endedPart = "bayescpace part after an exploration\n"
)

// last returns the run that was kept for the task, nil for none, and whether it has ended. One that
// cannot be read or is of another solver is as if it were not there.
func (b *taskPart) last(m bcpace.Model, s runs.Explorer) (r *runs.Run, ended bool) {
	data, err := b.folder.part(b.key)
	if err != nil {
		return nil, false
	}
	b.used.Store(true)
	text, open := bytes.CutPrefix(data, []byte(openPart))
	if !open {
		if text, ended = bytes.CutPrefix(data, []byte(endedPart)); !ended {
			return nil, false
		}
	}
	if r, err = runs.Read(bytes.NewReader(text), runs.FixedModel(m), nil); err != nil || runs.CheckResume(r, s) != nil {
		return nil, false
	}
	return r, ended
}

// keep keeps a run.
func (b *taskPart) keep(head string, r io.WriterTo) {
	var text bytes.Buffer
	text.WriteString(head)
	if _, err := r.WriteTo(&text); err != nil { // one that no file can hold
		return
	}
	if b.folder.keepPart(b.key, text.Bytes()) == nil {
		b.used.Store(true)
	}
}

// explore explores, or goes on where an earlier try of the task has come to.
func (b *taskPart) explore(ctx context.Context, m bcpace.Model, s runs.Explorer, c bcpace.Control) (*bcpace.Solution, error) {
	b.pace = newPace()
	c.Checkpoint = func(_ bcpace.Progress, soFar io.WriterTo) {
		if b.pace.Due() {
			b.keep(openPart, soFar)
			b.pace.Done()
		}
	}
	last, ended := b.last(m, s)
	if ended {
		return runs.SolutionOf(last), nil
	}
	if last != nil {
		// Its own solver has the same parameters, and the defaults that Solve has filled in.
		r, err := last.Solver.Resume(ctx, last, c)
		switch {
		case ctx.Err() != nil && (r == nil || len(r.Trace) <= len(last.Trace)):
			return nil, ctx.Err() // what is kept stays
		case r != nil:
			return runs.SolutionOf(r), err
		}
	}
	return s.Solve(ctx, m, c)
}

// leave keeps what a solver has found of a task that is told to end. An exploration that has ended
// by itself, and whose certificate may be unfinished, holds no state to go on from: then the last
// part stays.
func (b *taskPart) leave(ctx context.Context, found *bcpace.Solution, head string) {
	if b.pace == nil || ctx.Err() == nil {
		return
	}
	r := runs.Of(found)
	if r == nil || r.InSetUp() || len(r.Trace) == 0 || head == openPart && r.Stop != stop.Interrupted && r.Stop != stop.Deadline {
		return
	}
	b.keep(head, r)
}

// finish keeps the run of an exploration that has ended, if it was long.
func (b *taskPart) finish(found *bcpace.Solution) {
	if b.pace == nil || !b.pace.Due() {
		return
	}
	if r := runs.Of(found); r != nil {
		b.keep(endedPart, r)
		b.pace.Done()
	}
}

// resumes returns the solver as one whose runs can be kept and go on. Not so where a time ends it,
// as a part would get that time again.
func (t Trial) resumes(s bcpace.Solver) (runs.Explorer, bool) {
	if _, tables := s.(pomdp.Solver); t.Timeout > 0 || tables {
		return nil, false
	}
	e, ok := s.(runs.Explorer)
	return e, ok
}
