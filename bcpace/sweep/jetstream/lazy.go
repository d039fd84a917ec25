package jetstream

import (
	"context"
	"sync"

	"bayescpace/bcpace/sweep"
)

// Lazy is an engine that starts when it is used: a sweep whose results are all there needs none.
// It is for one goroutine at a time.
type Lazy struct {
	Start func() (sweep.Engine, error)

	once   sync.Once
	engine sweep.Engine
	err    error
}

func (l *Lazy) started() (sweep.Engine, error) {
	l.once.Do(func() { l.engine, l.err = l.Start() })
	return l.engine, l.err
}

// Do implements sweep.Engine.
func (l *Lazy) Do(ctx context.Context, tasks []sweep.Task, o sweep.EngineObserver) error {
	e, err := l.started()
	if err != nil {
		return err
	}
	return e.Do(ctx, tasks, o)
}

// Put implements sweep.Blobs.
func (l *Lazy) Put(ctx context.Context, data []byte) (string, error) {
	e, err := l.started()
	if err != nil {
		return "", err
	}
	return e.Put(ctx, data)
}

// Get implements sweep.Blobs.
func (l *Lazy) Get(ctx context.Context, name string) ([]byte, error) {
	e, err := l.started()
	if err != nil {
		return nil, err
	}
	return e.Get(ctx, name)
}

// Close implements sweep.Engine.
func (l *Lazy) Close() error {
	if l.engine == nil {
		return nil
	}
	return l.engine.Close()
}
