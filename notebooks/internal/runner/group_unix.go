//go:build unix

package runner

import (
	"fmt"
	"os/exec"
	"syscall"
)

// minder is a shell that leads a group of processes. It reads from this program, and
// so learns of its end, whatever that was. It then asks the group to end, gives the
// process whose number it has read ten seconds for that, and ends what is left.
const minder = `trap '' HUP INT TERM
read -r process
read -r _
kill -TERM 0
for second in 1 2 3 4 5 6 7 8 9 10; do
	kill -0 "$process" 2>/dev/null || break
	sleep 1
done
kill -KILL 0`

// group is a running command in a process group of its own, which signals of the
// terminal do not reach. It ends with this program, however that ends.
type group struct{ cmd, minder *exec.Cmd }

// startGroup starts cmd. The end of cmd's context then ends the whole group at once.
func startGroup(cmd *exec.Cmd) (group, error) {
	g := group{cmd, exec.Command("/bin/sh", "-c", minder)}
	OwnGroup(g.minder)
	pipe, err := g.minder.StdinPipe()
	if err == nil {
		err = g.minder.Start()
	}
	if err != nil {
		return group{}, fmt.Errorf("starting what ends other processes with this one: %w", err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: g.minder.Process.Pid}
	if cmd.Cancel != nil {
		cmd.Cancel = g.kill
	}
	if err := cmd.Start(); err != nil {
		g.end()
		return group{}, err
	}
	fmt.Fprintln(pipe, cmd.Process.Pid)
	return g, nil
}

// kill ends the whole group at once.
func (g group) kill() error { return KillGroup(g.minder) }

// wait waits for the command to end, and then ends what it has left in its group.
func (g group) wait() error {
	defer g.end()
	return g.cmd.Wait()
}

func (g group) end() {
	g.kill()
	g.minder.Wait()
}
