package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/runs"
)

// openRun reads a run that solve saved.
func openRun(ctx context.Context, name string) (*runs.Run, error) {
	return readRunFile(ctx, name, modelFinder(ctx))
}

// readRunFile reads a run whose model find makes.
func readRunFile(ctx context.Context, name string, find runs.ModelFinder) (*runs.Run, error) {
	r, err := await(ctx, func() (*runs.Run, error) {
		file, err := disk.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		if isPolicy(file) {
			return nil, fmt.Errorf("%s is a policy, and here the samples of a run are read: solve --algorithm certified --out FILE saves one, or --algorithm bayes-cpace", name)
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
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
