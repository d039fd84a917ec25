package jetstream

import (
	"context"
	"errors"
)

// Embedded describes an engine with a server and workers of its own.
type Embedded struct {
	Settings
	// Folder is where the server keeps answers and blobs. It is made if it is not there. One
	// engine uses it at a time. The file connect.json in it, which only the user can read,
	// says how to reach the server.
	Folder string
	// Listen is the address that workers on other machines reach, as host:port; "" means that
	// only this machine reaches the server. Without a port, or with port 0, the server takes
	// a free one, and takes that one again the next time if it can.
	Listen string
	// Workers is the number of worker processes to start on this machine; 0 means none.
	Workers int
	// Command starts a worker process, which must call Child; nil means this program with the
	// arguments "sweep", "worker", "--child".
	Command []string
	// MaxBytes is the most that the server keeps on disk; 0 means 64 GiB.
	MaxBytes int64
}

// Embed starts a server and workers. The error names the folder if another engine uses it.
func Embed(ctx context.Context, c Embedded) (*Engine, error) { return nil, errors.ErrUnsupported }
