package sweep

import (
	"bytes"
	"context"
	"io"
	"sync/atomic"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/bcpace/store"
)

// Parts keeps how far tasks have come that have not ended, so that who takes a task next goes on
// from there. An engine whose Blobs are Parts too has it for trials. A part is lost at no other
// cost than that of computing it again.
type Parts interface {
	// KeepPart keeps data as how far the task of a key has come, in place of what was kept.
	KeepPart(ctx context.Context, key string, data []byte) error
	// Part returns what is kept; the error is fs.ErrNotExist where there is nothing.
	Part(ctx context.Context, key string) ([]byte, error)
}

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

// taskBlobs are the blobs of one task, with its part.
type taskBlobs struct {
	Blobs
	parts Parts // nil where nothing is kept
	key   string
	used  atomic.Bool // a part is or was kept
	pace  pace
}

const (
	// partPatience is how long keeping a part may take while its task goes on.
	partPatience = 30 * time.Second
	// MaxGrace is the longest that tasks which are told to end may have to keep what they have. Keeping a
	// part may take so long then: the engine's own grace is shorter, and ends it.
	MaxGrace = time.Hour
)

// The first line of a part says whether it is of an exploration that goes on, or of one that has
// ended, after which the trial evaluates its policy.
const (
	openPart  = "bayescpace part of an exploration\n"
	endedPart = "bayescpace part after an exploration\n"
)

// last returns the run that was kept for the task, nil for none, and whether it has ended. One that
// cannot be read or is of another solver is as if it were not there.
func (b *taskBlobs) last(ctx context.Context, m bcpace.Model, s runs.Explorer) (r *runs.Run, ended bool) {
	data, err := b.parts.Part(ctx, b.key)
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

// keep keeps a run, also after ctx has ended.
func (b *taskBlobs) keep(ctx context.Context, head string, r io.WriterTo) {
	var text bytes.Buffer
	text.WriteString(head)
	if _, err := r.WriteTo(&text); err != nil { // one that no file can hold
		return
	}
	limit := partPatience
	if ctx.Err() != nil {
		limit = MaxGrace
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	if b.parts.KeepPart(ctx, b.key, text.Bytes()) == nil {
		b.used.Store(true)
	}
}

// explore explores, or goes on where an earlier try of the task has come to.
func (b *taskBlobs) explore(ctx context.Context, m bcpace.Model, s runs.Explorer, c bcpace.Control) (*bcpace.Solution, error) {
	b.pace = newPace()
	c.Checkpoint = func(_ bcpace.Progress, soFar io.WriterTo) {
		if b.pace.Due() {
			b.keep(ctx, openPart, soFar)
			b.pace.Done()
		}
	}
	last, ended := b.last(ctx, m, s)
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
func (b *taskBlobs) leave(ctx context.Context, found *bcpace.Solution, head string) {
	if b == nil || b.pace == nil || ctx.Err() == nil {
		return
	}
	r := runs.Of(found)
	if r == nil || r.InSetUp() || len(r.Trace) == 0 || head == openPart && r.Stop != stop.Interrupted && r.Stop != stop.Deadline {
		return
	}
	b.keep(ctx, head, r)
}

// finish keeps the run of an exploration that has ended, if it was long.
func (b *taskBlobs) finish(ctx context.Context, found *bcpace.Solution) {
	if b == nil || b.pace == nil || !b.pace.Due() {
		return
	}
	if r := runs.Of(found); r != nil {
		b.keep(ctx, endedPart, r)
		b.pace.Done()
	}
}

// resumes returns the solver as one whose runs can be kept and go on. Not so where a time ends it,
// as a part would get that time again.
func (b *taskBlobs) resumes(t Trial, s bcpace.Solver) (runs.Explorer, bool) {
	if _, tables := s.(pomdp.Solver); b == nil || b.parts == nil || t.Timeout > 0 || tables {
		return nil, false
	}
	e, ok := s.(runs.Explorer)
	return e, ok
}
