package cmd

import (
	"context"
	"errors"
	"fmt"

	"bayescpace/bcpace/internal/regularfile"
	"bayescpace/bcpace/runs"
)

// openRun reads a run that solve saved.
func openRun(ctx context.Context, name string) (*runs.Run, error) {
	return readRunFile(ctx, name, modelFinder(ctx))
}

// parseRun reads the flags of a verb that needs --run, and the run whose name that leaves in file.
func parseRun(p program, f *flags, args []string, file *string) (*runs.Run, error) {
	if err := f.parse(args); err != nil {
		return nil, err
	}
	if !f.given["run"] {
		return nil, misuse("--run is missing")
	}
	return openRun(p.ctx, *file)
}

// readRunFile reads a run whose model find makes.
func readRunFile(ctx context.Context, name string, find runs.ModelFinder) (*runs.Run, error) {
	r, err := await(ctx, func() (*runs.Run, error) {
		file, err := regularfile.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		r, err := runs.Read(file, find, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return r, nil
	})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("out of time while reading the run %s; give more time", name)
	case errors.Is(err, context.Canceled):
		return nil, fmt.Errorf("interrupted while reading the run %s", name)
	}
	return r, err
}
