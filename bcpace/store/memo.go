package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

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
func changed(err error) bool {
	var input *bcpace.InputError
	return errors.As(err, &input)
}

// same compares two solvers.
func same(a, b runs.Explorer) bool {
	d, e := newDigest("solver"), newDigest("solver")
	return d.solver(a) == nil && e.solver(b) == nil && d.key() == e.key()
}
