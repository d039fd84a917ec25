//go:build unix

package runner

import (
	"os/exec"
	"syscall"
)

// OwnGroup starts cmd in a process group of its own, so that Ctrl-C reaches
// this program alone, which then ends its children in good order, and so that
// cancelling cmd's context ends what cmd started as well.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if cmd.Cancel != nil {
		cmd.Cancel = func() error { return KillGroup(cmd) }
	}
}

// KillGroup ends cmd's process group at once.
func KillGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
