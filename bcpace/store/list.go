package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/internal/kept"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// FileKind is what a file of a store is, by its name.
type FileKind string

const (
	RunFile    FileKind = "run"        // of Memo or PutRun
	Checkpoint FileKind = "checkpoint" // of an exploration that did not converge, or not yet
	Solved     FileKind = "solution"   // of Solve
	SetAside   FileKind = "set aside"  // was damaged when it was needed
	Temporary  FileKind = "temporary"  // is being written, or was when its process was killed
	Foreign    FileKind = "foreign"    // is not the store's
)

// Entry is a file of a store.
type Entry struct {
	Name    string
	Kind    FileKind
	Size    int64 // bytes
	Written time.Time
	Run     *runs.Info // of a run or checkpoint that can be read
	Err     error      // why a run or checkpoint cannot be read, without its name
}

// List returns the files of the store, the oldest first. It reads every result and checks
// that it is complete. A file that it cannot read gives an entry with an error, and stays
// in the store.
func (s *Store) List() ([]Entry, error) {
	files, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("store: the files in %s cannot be listed: %w", s.dir, cause(err))
	}
	var all []Entry
	for _, f := range files {
		info, err := f.Info()
		if err != nil { // it has just gone
			continue
		}
		e := Entry{Name: f.Name(), Kind: kindOf(f.Name()), Size: info.Size(), Written: info.ModTime()}
		if !info.Mode().IsRegular() {
			e.Kind = Foreign
		}
		if s.look(&e); errors.Is(e.Err, fs.ErrNotExist) { // now
			continue
		}
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(a, b Entry) int { return a.Written.Compare(b.Written) })
	return all, nil
}

// kindOf goes by a file's name.
func kindOf(name string) FileKind {
	is := func(prefix, ext string) bool { return strings.HasPrefix(name, prefix) && strings.HasSuffix(name, ext) }
	switch {
	case is("run-", runExt):
		return RunFile
	case is("part-", runExt):
		return Checkpoint
	case is("solution-", solutionExt):
		return Solved
	case is("solution-", solutionExt+asideExt), is("run-", runExt+asideExt), is("part-", runExt+asideExt):
		return SetAside
	case is(tempPrefix, ""):
		return Temporary
	}
	return Foreign
}

// look reads a result.
func (s *Store) look(e *Entry) {
	if e.Kind != RunFile && e.Kind != Checkpoint && e.Kind != Solved {
		return
	}
	f, err := disk.Open(filepath.Join(s.dir, e.Name))
	if err != nil {
		e.Err = cause(err)
		return
	}
	defer f.Close()
	if e.Kind == Solved {
		_, e.Err = kept.ReadFile(f)
		return
	}
	run, err := runs.ReadInfo(f)
	if e.Err = err; err == nil {
		e.Run = &run
	}
}

// Collect removes the files that were set aside and the temporary files of killed
// processes. Then it removes results until the others have at most limit bytes:
// checkpoints first, and then the oldest results. It returns the files that it has
// removed itself, without those that another process has removed at the same time. It
// keeps results that it cannot read, and foreign files. A removed result is computed
// again when somebody asks for it.
func (s *Store) Collect(limit int64) ([]Entry, error) {
	all, err := s.List()
	if err != nil {
		return nil, err
	}
	var removed []Entry
	remove := func(e Entry) error {
		switch err := os.Remove(filepath.Join(s.dir, e.Name)); {
		case errors.Is(err, fs.ErrNotExist): // another process was faster
			return nil
		case err != nil:
			return fmt.Errorf("store: %s cannot be removed from %s: %w", e.Name, s.dir, cause(err))
		}
		removed = append(removed, e)
		return nil
	}
	total := int64(0)
	var checkpoints, results []Entry
	for _, e := range all {
		switch {
		case e.Kind == SetAside:
			if err := remove(e); err != nil {
				return removed, err
			}
		case e.Kind == Temporary && removeIfAbandoned(filepath.Join(s.dir, e.Name)):
			removed = append(removed, e)
		case e.Err == nil && (e.Kind == RunFile || e.Kind == Checkpoint || e.Kind == Solved):
			if total += e.Size; e.Kind == Checkpoint {
				checkpoints = append(checkpoints, e)
			} else {
				results = append(results, e)
			}
		}
	}
	for _, e := range slices.Concat(checkpoints, results) {
		if total <= limit {
			break
		}
		if err := remove(e); err != nil {
			return removed, err
		}
		total -= e.Size
	}
	return removed, nil
}

// Solve is s.Solve with a cache in the default store, where s answers a question (solverkit.Questioner) with the help of a runs.Explorer: a second call
// with the same model, solver and code returns what the first has found. Other solvers solve again, and so does one whose parameters are no plain data,
// such as a cost that is a function. What ctx has cut off is not kept. For an Explorer itself there is Memo.
func Solve(ctx context.Context, m bcpace.Model, s bcpace.Solver, c bcpace.Control) (*bcpace.Solution, Origin, error) {
	var origin Origin
	q, ok := s.(solverkit.Questioner)
	if ok {
		_, ok = q.Inside().(runs.Explorer)
	}
	if !ok {
		found, err := s.Solve(ctx, m, c)
		return found, origin, err
	}
	key, err := keyOf("solution", m, s)
	if err != nil {
		found, err := s.Solve(ctx, m, c)
		return found, origin, err
	}
	into, err := OpenDefault()
	if err != nil {
		return nil, origin, err
	}
	name := filepath.Join(into.dir, "solution-"+string(key)+solutionExt)
	found, err := readFile(name, func(f *os.File) (*bcpace.Solution, error) {
		file, err := kept.ReadFile(f)
		if err != nil {
			return nil, err
		}
		return file.Solution(ctx, m, s)
	})
	switch {
	case err == nil:
		origin.Cached = true
		return found, origin, nil
	case !errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil:
		origin.Damaged = err
	}
	if found, err = s.Solve(ctx, m, c); err != nil || ctx.Err() != nil || found.Stop.ByContext() {
		return found, origin, err
	}
	file, err := kept.OfSolution(m, found)
	switch {
	case errors.Is(err, kept.ErrNoData):
		return found, origin, nil
	case err == nil && origin.Damaged != nil:
		err = into.setAside(name)
	}
	if origin.Unsaved = err; err == nil {
		origin.Unsaved = into.write(name, file)
	}
	return found, origin, nil
}

// solutionExt ends the names of solutions.
const solutionExt = ".json"
