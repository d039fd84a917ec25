//go:build !unix

package host

import (
	"context"
	"os/exec"
)

// Group is a running command.
type Group struct{ cmd *exec.Cmd }

// StartGroup starts cmd.
func StartGroup(cmd *exec.Cmd) (Group, error) { return Group{cmd}, cmd.Start() }

// Kill ends the command at once.
func (g Group) Kill() error { return KillGroup(g.cmd) }

// Wait waits for the command to end.
func (g Group) Wait() error { return g.cmd.Wait() }

// OwnGroup does nothing where the kernel does not run.
func OwnGroup(*exec.Cmd) {}

// KillGroup ends cmd at once.
func KillGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// LockFolder does nothing where the kernel does not run.
func LockFolder(context.Context, string, string, bool, func()) (unlock func(), err error) {
	return func() {}, nil
}
