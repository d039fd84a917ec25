//go:build !unix

package runner

import "os/exec"

// OwnGroup does nothing where the kernel does not run.
func OwnGroup(*exec.Cmd) {}

// KillGroup ends cmd at once.
func KillGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
