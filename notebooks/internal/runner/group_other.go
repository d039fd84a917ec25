//go:build !unix

package runner

import "os/exec"

// group is a running command.
type group struct{ cmd *exec.Cmd }

func startGroup(cmd *exec.Cmd) (group, error) { return group{cmd}, cmd.Start() }

func (g group) kill() error { return g.cmd.Process.Kill() }

func (g group) wait() error { return g.cmd.Wait() }
