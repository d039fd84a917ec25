package cmd

import "context"

// await returns what work returns, or the error of ctx where that ends first. The work
// then continues, and its result is lost: that is for the end of the program.
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
