package main

import (
	"context"
	"fmt"
	"os"
)

// openRegular opens a file that must be one: a pipe or a device might never end.
func openRegular(name string) (*os.File, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a directory, not a file", name)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is a device or a pipe, not a regular file", name)
	}
	return os.Open(name)
}

// await returns what work returns, or the error of ctx where that ends first. The work
// then goes on, and its result is lost: that is for the end of the program.
func await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := work()
		done <- outcome{result, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}
