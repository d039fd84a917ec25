package host

import (
	"context"
	"os"
	"time"
)

// WaitForParent returns when the process that has started this one has ended, or ctx. Every system
// shows it by another parent, and no other sign of it is there on all of them.
func WaitForParent(ctx context.Context) {
	parent := os.Getppid()
	for tick := time.Tick(time.Second); os.Getppid() == parent; {
		select {
		case <-tick:
		case <-ctx.Done():
			return
		}
	}
}
