// Package host knows the process and the folders in which notebooks run: which settings of the go command
// do not go with a workspace, when the process that has started this one ends, and who uses a folder.
package host

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"time"
)

// WorkspaceFlags takes -mod and -modfile out of GOFLAGS, which the go command
// refuses in a workspace. The result is never empty when something changed,
// because an empty variable would let "go env -w GOFLAGS" through again.
func WorkspaceFlags(flags string) (cleaned string, changed bool) {
	var kept []string
	for _, f := range strings.Fields(flags) {
		name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		if name == "mod" || name == "modfile" {
			changed = true
			continue
		}
		kept = append(kept, f)
	}
	if changed && len(kept) == 0 {
		kept = []string{"-buildvcs=auto"}
	}
	return strings.Join(kept, " "), changed
}

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
