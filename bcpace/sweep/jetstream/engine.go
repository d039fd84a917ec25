package jetstream

import (
	"cmp"
	"context"
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
	id      string
	options Options // with their defaults
	where   string  // the server, or the folder of an embedded one
	nc      *nats.Conn
	*vault                // has the blobs
	doing   chan struct{} // holds a value while a Do runs
	broken  failure       // why the engine can do no more
	close   func() error  // of sync.OnceValue
}

var _ sweep.Engine = (*Cluster)(nil)

// version is replaced in tests.
var version = sweep.ThisVersion

const (
	maxTries = 10_000
	minLease = 50 * time.Millisecond
)

func newEngine(s Options) (*Cluster, error) {
	in := bcpace.In("engine")
	if err := cmp.Or(
		in.Need(s.Tries >= 0 && s.Tries <= maxTries, "Tries", s.Tries, fmt.Sprintf("1 to %d, or 0 for 3", maxTries)),
		in.Need(s.Lease == 0 || s.Lease >= minLease, "Lease", s.Lease.String(), fmt.Sprintf("at least %v, or 0 for 30s", minLease)),
		checkText("name", s.Name, true)); err != nil {
		return nil, err
	}
	s.Tries, s.Lease = cmp.Or(s.Tries, 3), cmp.Or(s.Lease, 30*time.Second)
	return &Cluster{options: s, doing: make(chan struct{}, 1), broken: make(failure, 1)}, nil
}

// Close ends the workers and the server that the engine has started, and its connections.
// What is on disk stays.
func (e *Cluster) Close() error { return e.close() }

// failure holds the first error, which ends a Do.
type failure chan error

func (f failure) put(err error) {
	select {
	case f <- err:
	default:
	}
}

// open opens what the server keeps, and makes it where it is missing.
func (e *Cluster) open(ctx context.Context, replicas int) (err error) {
	if e.vault, err = patiently(ctx, func(ctx context.Context) (*vault, error) { return openVault(ctx, e.nc, true, replicas) }); err != nil {
		e.Close()
		return fmt.Errorf("%s cannot keep answers: %w", e.where, err)
	}
	return nil
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Remote describes an engine on a server or cluster that runs already.
type Remote struct {
	Options
	Server
	// Replicas is the number of servers of a cluster that keep each answer: 1, 3 or 5; 0
	// means as many as before, or 1.
	Replicas int
}

// Connect connects to a server and makes what it lacks there. Workers join with Work.
func Connect(ctx context.Context, c Remote) (*Cluster, error) {
	if !slices.Contains([]int{0, 1, 3, 5}, c.Replicas) {
		return nil, bcpace.In("engine").Bad("Replicas", c.Replicas, "1, 3 or 5")
	}
	e, err := newEngine(c.Options)
	if err != nil {
		return nil, err
	}
	e.id = randomHex(8)
	l, err := c.resolve()
	if err != nil {
		return nil, err
	}
	if e.nc, err = l.dial("coordinator " + e.id); err != nil {
		return nil, err
	}
	e.close = sync.OnceValue(func() error {
		e.nc.Close()
		return nil
	})
	e.where = "the server at " + l.shown()
	if err := e.open(ctx, c.Replicas); err != nil {
		return nil, err
	}
	return e, nil
}
