package jetstream

import (
	"context"
	"errors"
	"io"
)

// Worker describes a machine's worker processes.
type Worker struct {
	Server
	// Slots is the number of worker processes, each of which computes one task at a time; 0
	// means one for each processor that Go uses.
	Slots int
	// Command starts a worker process, which must call Child; nil means this program with the
	// arguments "sweep", "worker", "--child".
	Command []string
	// Log, if set, is told of what the user may want to know, such as a worker process that
	// has ended and is started again. Calls come one at a time.
	Log func(line string)
}

// Work starts worker processes, and others for those that end, until ctx ends. Then they hand
// back what they have not finished, and Work returns nil. It returns an error if the server
// refuses the connection, or if there are sweeps and it can serve none of them: they are of
// another version, or need something that this program does not have.
func Work(ctx context.Context, w Worker) error { return errors.ErrUnsupported }

// Child is what a worker process does: it reads from stdin how to reach the server and
// computes tasks until ctx ends or its parent does, which closes stdin. It writes to stdout
// what its parent must know. check says whether this program has what a sweep needs; nil
// means that it has everything. A nil error means that it was told to end.
func Child(ctx context.Context, stdin io.Reader, stdout io.Writer, check func(need string) error) error {
	return errors.ErrUnsupported
}
