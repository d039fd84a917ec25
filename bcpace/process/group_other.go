//go:build !unix

package process

import "os/exec"

// ownGroup does nothing where there are no process groups.
func ownGroup(*exec.Cmd) {}

// killGroup ends the process of cmd.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
