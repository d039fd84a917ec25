package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
)

// Origin says where a result came from.
type Origin struct {
	// Cached says that the result was read from the store.
	Cached bool
	// Damaged is set if the store had the result in a file that cannot be read, and
	// names that file. The result was then computed again, and the file was renamed to
	// end in ".damaged".
	Damaged error
	// Unsaved is set if a computed result, or the last checkpoint of an exploration
	// that was cut off, could not be written.
	Unsaved error
	// Resumed is the number of episodes of the checkpoint that the exploration has
	// continued; 0 if it began from the beginning.
	Resumed int
	// Kept is the number of episodes of the checkpoint that an exploration which was
	// cut off has left; 0 if there is none.
	Kept int
}

// Memo is runs.Explore with a cache in the default store: a second call with the same
// model, solver and code returns the run of the first. Two models are the same if their
// parts are (fingerprint.Of), and if they behave the same wherever the run has been.
// If the store cannot be written to, Memo returns an error before it explores.
//
// A run with a Controller is neither looked for nor kept, as no file can hold one.
//
// Memo returns a run that ctx has cut off, and one that a fault of the model has, with the
// error, but does not store it. An exploration leaves
// checkpoints in the store. The next call continues from the last one, also with other
// budgets or another patience, and returns the same run, bit for bit. An interrupt, or
// the end of the process, loses the work since the last checkpoint: about a tenth of the
// time so far, at most 5 s or 50 times as long as writing a checkpoint takes, plus one
// update of the values or round of trials. It also loses the work before the first
// update and after the last. Checkpoints take at most about 2 % of the time.
func Memo(ctx context.Context, m bcpace.Model, solver runs.Explorer, c bcpace.Control) (*runs.Run, Origin, error) {
	s, err := OpenDefault()
	if err != nil {
		return nil, Origin{}, err
	}
	return s.Memo(ctx, m, solver, c)
}

// Memo is the function Memo with this store.
func (s *Store) Memo(ctx context.Context, m bcpace.Model, solver runs.Explorer, c bcpace.Control) (*runs.Run, Origin, error) {
	if p, err := solver.Plan(m); err == nil && p.Controller != nil {
		r, err := solver.Explore(ctx, m, c)
		return r, Origin{}, err
	}
	key, err := RunKey(m, solver)
	if err != nil {
		return nil, Origin{}, err
	}
	var origin Origin
	file := s.runFile(key)
	r, err := s.Run(key, m, latentOf(solver))
	switch {
	case err == nil && same(r.Solver, solver):
		r.Solver = solver
		origin.Cached = true
		return r, origin, nil
	case err == nil:
		origin.Damaged = fmt.Errorf("store: %s: %w: it holds a run of another solver", file, runs.ErrFormat)
	case !errors.Is(err, fs.ErrNotExist) && !changed(err):
		origin.Damaged = err
	}
	aside := origin.Damaged != nil
	t := &checkpoints{store: s}
	if t.key, err = resumeKey(m, solver); err != nil {
		return nil, origin, err
	}
	if r, err = t.explore(ctx, m, solver, c, &origin); r == nil {
		return nil, origin, err
	}
	r.Solver = solver
	if err != nil {
		return r, origin, err
	}
	// The context may end within the simulation of a run that has ended by itself, and an
	// exploration that leaves time for a simulation ends before it.
	if ctx.Err() != nil || r.Stop == stop.Deadline {
		origin.Kept, origin.Unsaved = t.saved, t.err
		return r, origin, nil
	}
	if aside {
		origin.Unsaved = s.setAside(file)
	}
	if origin.Unsaved == nil {
		origin.Unsaved = s.PutRun(key, r)
	}
	if origin.Unsaved == nil && r.Stop.ByItself() {
		t.clear(len(r.Trace) + 1)
	}
	return r, origin, nil
}

// changed reports whether a file is of a model that does something else than the one
// at hand, where a key does not look. The file then makes room.
func changed(err error) bool { return errors.As(err, new(*bcpace.InputError)) }

// same compares two solvers.
func same(a, b runs.Explorer) bool {
	d, e := newDigest("solver"), newDigest("solver")
	return d.solver(a) == nil && e.solver(b) == nil && d.key() == e.key()
}

// The checkpoints of an exploration are filed under its resume key: the key without the
// parameters that only end an exploration. So an exploration with another budget resumes
// from where an earlier one has got. The number of episodes is in a file's name. A writer
// removes only checkpoints with fewer episodes than its own, so that the process that is
// ahead never loses its own.

// resumeKey returns the key of an exploration without its budgets: two explorations that
// differ only in when they end have the same one.
func resumeKey(m bcpace.Model, s runs.Explorer) (Key, error) {
	return keyOf("checkpoints", m, s.Unlimited())
}

// checkpoints are the checkpoints of all explorations with one resume key.
type checkpoints struct {
	store    *Store
	key      Key
	interval Interval
	saved    int   // episodes of the longest checkpoint in the store
	err      error // of the last attempt to write one
}

// checkpoint is the file of one checkpoint.
type checkpoint struct {
	name     string
	episodes int
}

func (t *checkpoints) prefix() string { return "part-" + string(t.key) + "-" }

// list returns the checkpoints, the longest first.
func (t *checkpoints) list() []checkpoint {
	var all []checkpoint
	names, _ := filepath.Glob(filepath.Join(t.store.dir, t.prefix()+"*"+runExt))
	for _, name := range names {
		number := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), t.prefix()), runExt)
		if n, err := strconv.Atoi(number); err == nil {
			all = append(all, checkpoint{name, n})
		}
	}
	slices.SortFunc(all, func(a, b checkpoint) int { return cmp.Compare(b.episodes, a.episodes) })
	return all
}

// load returns the longest checkpoint that it can read, or nil. It sets the others aside;
// damaged is the error of the first of them.
func (t *checkpoints) load(m bcpace.Model, s runs.Explorer) (r *runs.Run, damaged error) {
	for tries := 0; tries < 100; tries++ {
		all := t.list()
		if len(all) == 0 {
			break
		}
		r, err := readRun(all[0].name, m, latentOf(s))
		if err == nil {
			t.saved = all[0].episodes
			return r, damaged
		}
		switch {
		case errors.Is(err, fs.ErrNotExist): // another process is ahead, and has removed it
			err = nil
		case changed(err):
			err = os.Remove(all[0].name)
		default:
			damaged = cmp.Or(damaged, err)
			err = t.store.setAside(all[0].name)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return nil, damaged
}

// save is a Checkpoint of bcpace.Control.
func (t *checkpoints) save(p bcpace.Progress, soFar io.WriterTo) {
	if !t.interval.Due() {
		return
	}
	defer t.interval.Done()
	if all := t.list(); len(all) > 0 && all[0].episodes >= p.Episodes { // another process is ahead
		t.saved, t.err = all[0].episodes, nil
		return
	}
	name := filepath.Join(t.store.dir, fmt.Sprintf("%s%09d%s", t.prefix(), p.Episodes, runExt))
	if t.err = t.store.write(name, soFar); t.err == nil {
		t.saved = p.Episodes
		t.clear(p.Episodes)
	}
}

// clear removes the checkpoints with fewer episodes.
func (t *checkpoints) clear(episodes int) {
	for _, c := range t.list() {
		if c.episodes < episodes {
			os.Remove(c.name)
		}
	}
}

// explore resumes from the last checkpoint, or explores from the beginning, and writes
// checkpoints on the way.
func (t *checkpoints) explore(ctx context.Context, m bcpace.Model, s runs.Explorer, c bcpace.Control, origin *Origin) (*runs.Run, error) {
	own := c.Checkpoint
	c.Checkpoint = func(p bcpace.Progress, soFar io.WriterTo) {
		t.save(p, soFar)
		if own != nil {
			own(p, soFar)
		}
	}
	t.interval.Begin()
	last, damaged := t.load(m, s)
	origin.Damaged = cmp.Or(origin.Damaged, damaged)
	if last != nil {
		r, err := s.Resume(ctx, last, c)
		if r != nil {
			origin.Resumed = t.saved
			return r, err
		}
		origin.Damaged = cmp.Or(origin.Damaged, fmt.Errorf("store: checkpoint of %d episodes: %w", t.saved, err))
	}
	return s.Explore(ctx, m, c)
}

// The interval between two checkpoints is a tenth of the time so far, between minPause
// and maxPause, but at least restraint times as long as the last one took to write. So
// writing takes at most a share of about 1/(1+restraint) of the time, and a killed
// process loses little.
const (
	minPause  = 200 * time.Millisecond
	maxPause  = 5 * time.Second
	restraint = 50
)

// Interval decides when the next checkpoint of some work is due: after a tenth of the time so
// far, at least 200 ms and at most 5 s, or 50 times as long as the last one took to write if
// that is longer. So checkpoints take at most some 2 % of the time. Begin starts it.
type Interval struct {
	now                func() time.Time // time.Now, unless a test has set it
	start, began, next time.Time
}

// Begin says that the work begins.
func (p *Interval) Begin() {
	if p.now == nil {
		p.now = time.Now
	}
	p.start = p.now()
	p.next = p.start.Add(minPause)
}

// Due reports whether it is time to write a checkpoint. Who then writes one calls Done.
func (p *Interval) Due() bool {
	p.began = p.now()
	return !p.began.Before(p.next)
}

// Done says that the checkpoint is written which was due.
func (p *Interval) Done() {
	end := p.now()
	pause := min(max(end.Sub(p.start)/10, minPause), maxPause)
	p.next = end.Add(max(pause, restraint*end.Sub(p.began)))
}
