package jetstream

import (
	"context"
	"errors"
)

// Remote describes an engine on a server or cluster that runs already.
type Remote struct {
	Settings
	Server
	// Replicas is the number of servers of a cluster that keep each answer: 1, 3 or 5; 0
	// means 1.
	Replicas int
}

// Connect connects to a server and makes what it lacks there. Workers join with Work.
func Connect(ctx context.Context, c Remote) (*Engine, error) { return nil, errors.ErrUnsupported }
