package jetstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"bayescpace/bcpace"
	"bayescpace/bcpace/sweep"
)

// Options are what Embed and Connect have in common.
type Options struct {
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

// Cluster is a sweep.Engine whose tasks are computed by worker processes.
type Cluster struct {
	id, name string
	needs    []string
	tries    int
	lease    time.Duration
	folder   string // of an embedded engine, or ""
	nc       *nats.Conn
	*vault                 // has the blobs
	doing    chan struct{} // holds a value while a Do runs
	broken   chan error    // why the engine can do no more
	close    func() error
	closing  sync.Once
}

var _ sweep.Engine = (*Cluster)(nil)

// version is replaced in tests.
var version = sweep.ThisVersion

const (
	maxTries = 10_000
	minLease = 50 * time.Millisecond
)

func newEngine(s Options) (*Cluster, error) {
	if s.Tries < 0 || s.Tries > maxTries {
		return nil, bcpace.In("engine").Bad("Tries", s.Tries, fmt.Sprintf("1 to %d, or 0 for 3", maxTries))
	}
	if s.Lease != 0 && s.Lease < minLease {
		return nil, bcpace.In("engine").Bad("Lease", s.Lease.String(), fmt.Sprintf("at least %v, or 0 for 30s", minLease))
	}
	if err := checkText("name", s.Name, true); err != nil {
		return nil, err
	}
	return &Cluster{name: s.Name, needs: s.Needs, tries: cmp.Or(s.Tries, 3), lease: cmp.Or(s.Lease, 30*time.Second),
		doing: make(chan struct{}, 1), broken: make(chan error, 1)}, nil
}

// Close ends the workers and the server that the engine has started, and its connections.
// What is on disk stays.
func (e *Cluster) Close() (err error) {
	e.closing.Do(func() { err = e.close() })
	return err
}

// fail has the Do that runs, or the next one, return an error.
func (e *Cluster) fail(err error) {
	select {
	case e.broken <- err:
	default:
	}
}

// storageError adds what is kept to an error that has ended a Do.
func (e *Cluster) storageError(r *run, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	r.mu.Lock()
	kept, tasks := r.counts.Done-r.counts.Failed, r.counts.Tasks
	r.mu.Unlock()
	where := "the server"
	if e.folder != "" {
		where = "folder " + e.folder
	}
	return fmt.Errorf("%s: %w; the answers of %d of %d tasks are there, and a later run goes on from them", where, err, kept, tasks)
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
