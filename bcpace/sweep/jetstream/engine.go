package jetstream

import (
	"context"
	"errors"
	"time"

	"bayescpace/bcpace/sweep"
)

// Settings are what Embed and Connect have in common.
type Settings struct {
	// Name is how State calls the sweep.
	Name string
	// Needs is what a worker must have beside the handlers, such as the names of
	// environments. The check that Child gets says whether it has it.
	Needs []string
	// Tries is how many workers may end while they compute a task, before the task is given
	// up with a Fault; 0 means 3.
	Tries int
	// Lease is the time without a sign of life after which a worker has lost its tasks to
	// others; 0 means 30 seconds. It is measured with a clock that nobody can set.
	Lease time.Duration
}

// Engine is a sweep.Engine whose tasks are computed by worker processes.
type Engine struct{}

var _ sweep.Engine = (*Engine)(nil)

// Do implements sweep.Engine. A second call waits for the first to end.
func (e *Engine) Do(ctx context.Context, tasks []sweep.Task, o sweep.Observer) error {
	return errors.ErrUnsupported
}

// Put implements sweep.Blobs.
func (e *Engine) Put(ctx context.Context, data []byte) (string, error) {
	return "", errors.ErrUnsupported
}

// Get implements sweep.Blobs.
func (e *Engine) Get(ctx context.Context, name string) ([]byte, error) {
	return nil, errors.ErrUnsupported
}

// Close ends the workers and the server that the engine has started, and its connections.
// What is on disk stays.
func (e *Engine) Close() error { return nil }
