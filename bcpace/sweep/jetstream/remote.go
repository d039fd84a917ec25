package jetstream

import (
	"context"
	"fmt"
	"slices"

	"bayescpace/bcpace"
)

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
	e.close = func() error {
		e.nc.Close()
		return nil
	}
	if e.vault, err = patiently(ctx, func(ctx context.Context) (*vault, error) { return openVault(ctx, e.nc, true, c.Replicas) }); err != nil {
		e.Close()
		return nil, fmt.Errorf("the server at %s cannot keep answers: %w", l.shown(), err)
	}
	return e, nil
}
