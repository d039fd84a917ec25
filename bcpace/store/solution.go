package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/internal/kept"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

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
	found, err := readSolution(ctx, name, m, s)
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

// readSolution reads a solution of m by s.
func readSolution(ctx context.Context, name string, m bcpace.Model, s bcpace.Solver) (*bcpace.Solution, error) {
	file, err := disk.Open(name)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	defer file.Close()
	f, err := kept.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("store: %s: %w", name, err)
	}
	found, err := f.Solution(ctx, m, s)
	if err != nil {
		return nil, fmt.Errorf("store: %s: %w", name, err)
	}
	return found, nil
}
