//go:build unix

package front

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"bayescpace/notebooks/internal/gopls"
)

// Config says what a kernel consists of. All paths are absolute.
type Config struct {
	Connection string   // the connection file that Jupyter wrote
	Root       string   // the folder of the module that cells may import
	GoNB       string   // the program; goimports lies beside it
	Gopls      string   // the program; it may be installed later
	Minder     []string // a command that calls Mind
}

// Run serves Jupyter until it ends the kernel, ctx is done, or whoever started this
// process has ended. When it returns, nothing that it started runs any more.
func Run(ctx context.Context, c Config) error {
	given, err := readConnection(c.Connection)
	if err != nil {
		return err
	}
	folder, err := temporary()
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	minder, err := startMinder(c.Minder)
	if err != nil {
		return err
	}
	defer minder.end()
	minder.mind("folder", folder)

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go untilOrphan(ctx, cancel)
	sockets, stop := context.WithCancel(context.Background())
	defer stop()
	jupyter, err := given.bind(sockets)
	if err != nil {
		return err
	}
	behind := given.behind(folder)
	gonb, err := startGoNB(c, behind, folder)
	if err != nil {
		return err
	}
	defer gonb.end()
	minder.mind("group", fmt.Sprint(gonb.cmd.Process.Pid))

	dialled := make(chan struct{})
	go func() {
		select {
		case <-gonb.gone:
			stop()
		case <-ctx.Done():
			stop()
		case <-dialled:
		}
	}()
	kernel, err := behind.dial(sockets)
	close(dialled)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return gonb.died()
	}
	help := &gopls.Helper{
		Program: c.Gopls, Root: c.Root, Folder: filepath.Join(folder, "cells"),
		Started: func(pid int) { minder.mind("group", fmt.Sprint(pid)) },
	}
	defer help.End()
	f := newFront(given.Key, c.Root, jupyter, kernel, help)
	f.opening.made = func(made string) {
		minder.mind("folder", made)
		os.RemoveAll(filepath.Join(folder, "bin"))
	}
	if f.serve(ctx, gonb.gone) {
		return gonb.died()
	}
	return nil
}

// socketPath is how long the path of a socket may be, on any system.
const socketPath = 100

// temporary makes a folder for the sockets.
func temporary() (string, error) {
	folder, err := os.MkdirTemp("", "gonb-front-")
	if err == nil && len(folder)+len("/k-5") > socketPath {
		os.Remove(folder)
		folder, err = os.MkdirTemp("/tmp", "gonb-front-")
	}
	if err != nil {
		return "", fmt.Errorf("making a folder for the kernel's sockets: %w", err)
	}
	return folder, nil
}

// untilOrphan calls end once the process that started this one has ended. There is
// no other sign of it that every system has.
func untilOrphan(ctx context.Context, end func()) {
	parent := os.Getppid()
	if parent == 1 { // it is none of Jupyter's that may end before us
		return
	}
	for tick := time.Tick(time.Second); ; {
		select {
		case <-tick:
			if os.Getppid() != parent {
				end()
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// gonb is the running GoNB.
type gonb struct {
	cmd  *exec.Cmd
	gone chan struct{} // closed when it has ended
	said tail
	read chan struct{} // closed when all that it, or a cell, said is in said
}

// startGoNB starts GoNB in a process group of its own: an interrupt from a terminal
// comes to it as a message, and whatever cells have started ends with the group.
func startGoNB(c Config, behind connection, folder string) (*gonb, error) {
	// GoNB takes Jupyter's number of the kernel from the name.
	file := filepath.Join(folder, filepath.Base(c.Connection))
	if err := behind.write(file); err != nil {
		return nil, err
	}
	g := &gonb{
		// Without -raw_error, compile errors come as HTML only.
		cmd:  exec.Command(c.GoNB, "--kernel", file, "-raw_error=true", "-logtostderr=true"),
		gone: make(chan struct{}),
		read: make(chan struct{}),
	}
	if err := decoy(folder); err != nil {
		return nil, err
	}
	path := strings.Join([]string{filepath.Join(folder, "bin"), filepath.Dir(c.GoNB), os.Getenv("PATH")}, string(os.PathListSeparator))
	g.cmd.Env = append(os.Environ(), "PATH="+path, rootVariable+"="+c.Root, "GOWORK=auto")
	g.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("starting GoNB: %w", err)
	}
	g.cmd.Stderr = in
	err = g.cmd.Start()
	in.Close()
	if err != nil {
		out.Close()
		return nil, fmt.Errorf("starting GoNB: %w", err)
	}
	go func() {
		io.Copy(&g.said, out)
		out.Close()
		close(g.read)
	}()
	go func() {
		g.cmd.Wait()
		close(g.gone)
	}()
	return g, nil
}

// decoy puts a gopls first on GoNB's PATH that does nothing, until GoNB has found it:
// it would start the user's own, to which nobody speaks.
func decoy(folder string) error {
	err := os.Mkdir(filepath.Join(folder, "bin"), 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "bin", "gopls"), []byte("#!/bin/sh\n"), 0o700)
	}
	if err != nil {
		return fmt.Errorf("keeping GoNB from gopls: %w", err)
	}
	return nil
}

// graceOfGoNB is how long GoNB may take to remove what it has made.
const graceOfGoNB = 2 * time.Second

// end ends GoNB, and whatever cells have started.
func (g *gonb) end() {
	g.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-g.gone:
	case <-time.After(graceOfGoNB):
	}
	syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL)
	<-g.gone
}

// died tells why GoNB ended by itself.
func (g *gonb) died() error {
	g.end()
	<-g.read
	return fmt.Errorf("GoNB ended by itself (%v); it said last:\n%s", g.cmd.ProcessState, &g.said)
}

// tail keeps the last of what is written to it: GoNB writes about each message, and
// a person wants to read it only when it failed.
type tail struct {
	mu   sync.Mutex
	data []byte
}

const tailSize = 16 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	if cut := len(t.data) - tailSize; cut > 0 {
		t.data = append(t.data[:0], t.data[cut:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.data))
}

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
