package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"bayescpace/bcpace"
)

// Origin says where a result came from.
type Origin struct {
	// Cached says that it was read from the store.
	Cached bool
	// Damaged is set where the store had the result in a file that cannot be
	// read, which it names. The result was then computed again, and that file is
	// kept under its name with ".damaged" at the end.
	Damaged error
	// Unsaved is set where a computed result, or the last checkpoint of an
	// exploration that was cut off, could not be written.
	Unsaved error
	// Resumed is the number of episodes from which an exploration went on that
	// had been cut off or ended by a budget; 0 where it began anew.
	Resumed int
	// Kept is the number of episodes from which an exploration that was cut off
	// will go on, 0 where there is no checkpoint.
	Kept int
}

// Memo is bcpace.Explore with a memory in the default store: the run of the
// same model, solver and code comes back as it was. The model is the same where it
// is made of the same (bcpace.Fingerprint) and does the same where the run has been. A
// store that cannot be written to is an error before the exploration begins.
//
// A run that was cut off by ctx is returned and not stored. An exploration leaves
// checkpoints in the store: the next call goes on from the last one, to the same
// run, bit for bit, also with other budgets or another patience. What an
// interrupt, or the end of the process at any moment, can lose is the work since
// then: a tenth of the time so far or 5 s, whichever is less, or 50 times as long
// as it takes to write a checkpoint, where that is more, and one update of the
// values or round of trials; and what comes before the first update and after the
// last. Checkpoints take about 2 % of the time at most.
func Memo(ctx context.Context, m bcpace.Model, solver bcpace.Explorer, c bcpace.Control) (*bcpace.Run, Origin, error) {
	s, err := OpenDefault()
	if err != nil {
		return nil, Origin{}, err
	}
	return s.Memo(ctx, m, solver, c)
}

// Memo is the function Memo with this store.
func (s *Store) Memo(ctx context.Context, m bcpace.Model, solver bcpace.Explorer, c bcpace.Control) (*bcpace.Run, Origin, error) {
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
		origin.Damaged = fmt.Errorf("store: %s: %w: it holds a run of another solver", file, bcpace.ErrFormat)
	case !errors.Is(err, fs.ErrNotExist) && !changed(err):
		origin.Damaged = err
	}
	aside := origin.Damaged != nil
	t := &checkpoints{store: s}
	if t.key, err = resumeKey(m, solver); err != nil {
		return nil, origin, err
	}
	if r, err = t.explore(ctx, m, solver, c, &origin); err != nil {
		return nil, origin, err
	}
	r.Solver = solver
	if ctx.Err() != nil { // be it within the simulation of a run that has ended by itself
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

// changed tells whether a file is of a model that does something else than the one
// at hand, where a key does not look. The file then makes room.
func changed(err error) bool {
	var input *bcpace.InputError
	return errors.As(err, &input)
}

// same compares two solvers.
func same(a, b bcpace.Explorer) bool {
	d, e := newDigest("solver"), newDigest("solver")
	return d.solver(a) == nil && e.solver(b) == nil && d.key() == e.key()
}
