//go:build unix

package front

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"bayescpace/notebooks/internal/host"
)

// Config says what a kernel consists of. All paths are absolute.
type Config struct {
	Connection string // the connection file that Jupyter wrote
	Root       string // the folder of the module that cells may import
	GoNB       string // the program; goimports lies beside it
	Gopls      string // the program; it may be installed later
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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		host.WaitForParent(ctx)
		cancel()
	}()
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
	made := "" // the folder where GoNB compiles
	defer func() {
		gonb.end()
		os.RemoveAll(made)
	}()
	gonb.group.Removes(folder)

	undoGone, undoDone := context.AfterFunc(gonb.life, stop), context.AfterFunc(ctx, stop)
	kernel, err := behind.dial(sockets)
	undoGone()
	undoDone()
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return gonb.died()
	}
	help := &Helper{Program: c.Gopls, Root: c.Root, Folder: filepath.Join(folder, "cells")}
	defer help.End()
	f := newFront(given.Key, c.Root, jupyter, kernel, help)
	f.compiles = func() bool { return compiling(gonb.group.ID()) }
	f.opening.made = func(where string) {
		made = where
		f.program = &program{root: c.Root, dir: where, env: gonb.cmd.Env, group: gonb.group.ID()}
		gonb.group.Removes(made)
		os.RemoveAll(filepath.Join(folder, "bin"))
	}
	if f.serve(ctx, gonb.life.Done()) {
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

// gonb is the running GoNB.
type gonb struct {
	cmd   *exec.Cmd
	group host.Group
	life  context.Context // ends with it
	said  tail
}

// startGoNB starts GoNB in a group of its own, which ends with this process: an interrupt from a terminal
// comes to it as a message, and whatever cells have started ends with the group.
func startGoNB(c Config, behind connection, folder string) (*gonb, error) {
	// GoNB takes Jupyter's number of the kernel from the name.
	file := filepath.Join(folder, filepath.Base(c.Connection))
	if err := os.WriteFile(file, marshal(behind), 0o600); err != nil {
		return nil, fmt.Errorf("writing a connection file: %w", err)
	}
	if err := decoy(folder); err != nil {
		return nil, err
	}
	g := &gonb{
		// Without -raw_error, compile errors come as HTML only.
		cmd: exec.Command(c.GoNB, "--kernel", file, "-raw_error=true", "-logtostderr=true"),
	}
	path := strings.Join([]string{filepath.Join(folder, "bin"), filepath.Dir(c.GoNB), os.Getenv("PATH")}, string(os.PathListSeparator))
	g.cmd.Env = slices.Concat(os.Environ(), []string{"PATH=" + path, rootVariable + "=" + c.Root}, workspaceSettings())
	// What cells have started may hold its standard error longer than it lives.
	g.cmd.Stderr, g.cmd.WaitDelay = &g.said, 100*time.Millisecond
	var err error
	if g.group, err = host.StartGroup(g.cmd); err != nil {
		return nil, fmt.Errorf("starting GoNB: %w", err)
	}
	var end func()
	g.life, end = context.WithCancel(context.Background())
	go func() {
		g.group.Wait()
		end()
	}()
	return g, nil
}

// workspaceSettings are settings of the go command with which cells are compiled in the
// workspace and for this machine, whatever those of the user's own work are.
func workspaceSettings() []string {
	settings := []string{"GOWORK=auto", "GO111MODULE=on", "GOOS=" + runtime.GOOS, "GOARCH=" + runtime.GOARCH}
	out, err := exec.Command("go", "env", "GOFLAGS").Output()
	if err != nil { // the first cell says what is wrong with go
		return settings
	}
	if flags, changed := host.WorkspaceFlags(string(out)); changed {
		settings = append(settings, "GOFLAGS="+flags)
	}
	return settings
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
	case <-g.life.Done():
	case <-time.After(graceOfGoNB):
	}
	g.group.Kill()
	<-g.life.Done()
}

// died tells why GoNB ended by itself.
func (g *gonb) died() error {
	g.end()
	return fmt.Errorf("GoNB ended by itself (%v); it said last:\n%s", g.cmd.ProcessState, bytes.TrimSpace(g.said))
}

// tail keeps the last of what is written to it, by one goroutine: GoNB writes about each message, and
// a person wants to read it only when it failed.
type tail []byte

const tailSize = 16 << 10

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	*t = (*t)[max(0, len(*t)-tailSize):]
	return len(p), nil
}
