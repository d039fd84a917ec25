//go:build unix

package front

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// minder is a process that ends what this one has started, and removes what it has
// made, when this one cannot any more.
type minder struct {
	cmd *exec.Cmd
	in  io.WriteCloser
}

// startMinder starts it in a group of its own, as Jupyter kills this one's.
func startMinder(command []string) (*minder, error) {
	m := &minder{cmd: exec.Command(command[0], command[1:]...)}
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := m.cmd.StdinPipe()
	if err == nil {
		m.in = in
		err = m.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("starting the kernel's minder: %w", err)
	}
	return m, nil
}

// mind tells the minder of a process group or a folder.
func (m *minder) mind(what, which string) { fmt.Fprintf(m.in, "%s %s\n", what, which) }

// end lets the minder do what is left to do.
func (m *minder) end() {
	m.in.Close()
	m.cmd.Wait()
}

// Mind is the minder's part: it reads what to mind until the other end of in is
// closed, which the system does when that process ends in whatever way, and ends
// and removes it then.
func Mind(in io.Reader) error {
	data, err := io.ReadAll(in)
	var errs []error
	for line := range strings.Lines(string(data)) {
		what, which, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch what {
		case "group":
			var group int
			if _, err := fmt.Sscan(which, &group); err == nil && group > 1 {
				syscall.Kill(-group, syscall.SIGKILL)
			}
		case "folder":
			errs = append(errs, os.RemoveAll(which))
		}
	}
	return errors.Join(append(errs, err)...)
}
