//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// ownGroup has cmd run in a process group of its own, which signals of the terminal do not reach:
// an interrupt is for this program, which still asks for what it needs to end.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends the process of cmd, and those that it has started.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
