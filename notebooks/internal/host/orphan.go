package host

import (
	"context"
	"os"
	"os/exec"
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

// Run runs a command that ends with this program, and what it leaves in its group ends with it.
func Run(cmd *exec.Cmd) error {
	g, err := StartGroup(cmd)
	if err != nil {
		return err
	}
	return g.Wait()
}
