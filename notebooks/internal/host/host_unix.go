//go:build unix

package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// minder is a shell that leads a group of processes. It reads from this program, and
// so learns of its end, whatever that was. It then asks the group to end, gives the
// process whose number it has read ten seconds for that, removes the folders whose
// names it has read, and ends what is left.
const minder = `trap '' HUP INT TERM
read -r process
while read -r folder; do set -- "$@" "$folder"; done
kill -TERM 0
for second in 1 2 3 4 5 6 7 8 9 10; do
	kill -0 "$process" 2>/dev/null || break
	sleep 1
done
rm -rf -- "$@"
kill -KILL 0`

// Group is a running command in a process group of its own, which signals of the
// terminal do not reach. It ends with this program, however that ends.
type Group struct {
	cmd, minder *exec.Cmd
	to          io.Writer
}

// StartGroup starts cmd. The end of cmd's context then ends the whole group at once.
func StartGroup(cmd *exec.Cmd) (Group, error) {
	g := Group{cmd: cmd, minder: exec.Command("/bin/sh", "-c", minder)}
	OwnGroup(g.minder)
	pipe, err := g.minder.StdinPipe()
	if err == nil {
		err = g.minder.Start()
	}
	if err != nil {
		return Group{}, fmt.Errorf("starting what ends other processes with this one: %w", err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: g.ID()}
	if cmd.Cancel != nil {
		cmd.Cancel = g.Kill
	}
	if err := cmd.Start(); err != nil {
		g.end()
		return Group{}, err
	}
	g.to = pipe
	fmt.Fprintln(pipe, cmd.Process.Pid)
	return g, nil
}

// ID is the number of the process group.
func (g Group) ID() int { return g.minder.Process.Pid }

// Removes says which folder to remove if this program ends before the group.
func (g Group) Removes(folder string) { fmt.Fprintln(g.to, folder) }

// Kill ends the whole group at once.
func (g Group) Kill() error { return KillGroup(g.minder) }

// Wait waits for the command to end, and then ends what it has left in its group.
func (g Group) Wait() error {
	defer g.end()
	return g.cmd.Wait()
}

func (g Group) end() {
	g.Kill()
	g.minder.Wait()
}

// OwnGroup starts cmd in a process group of its own, so that Ctrl-C reaches
// this program alone, which then ends its children in good order.
func OwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// KillGroup ends cmd's process group at once.
func KillGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// pause is between two tries.
const pause = 100 * time.Millisecond

// LockFolder takes the lock of a folder that has this name there, for this process alone or shared. While
// another process is in the way it calls waiting once, and continues trying until ctx ends. The lock goes
// with its process, however that ends.
func LockFolder(ctx context.Context, folder, name string, exclusive bool, waiting func()) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(folder, name), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the lock of a folder: %w", err)
	}
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	for tell := sync.OnceFunc(waiting); ; tell() {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, fmt.Errorf("locking %s: %w", f.Name(), err)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}
