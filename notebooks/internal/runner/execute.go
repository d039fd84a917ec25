package runner

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// scripts are programs in Python and what they read: execute.py drives the kernel with
// nbclient and exports with nbconvert, and grading.py is for nbgrader.
//
//go:embed execute.py pages.py grading.py figures.js
var scripts embed.FS

// writeScripts writes them to where Python finds them.
func (p Place) writeScripts() error {
	files, err := scripts.ReadDir(".")
	if err != nil {
		return fmt.Errorf("reading what is built in: %w", err)
	}
	for _, f := range files {
		content, err := scripts.ReadFile(f.Name())
		if err != nil {
			return fmt.Errorf("reading what is built in: %w", err)
		}
		path := filepath.Join(p.lib(), f.Name())
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
			continue
		}
		if err := writeFile(path, content); err != nil {
			return err
		}
	}
	return nil
}

// Driver is the running execute.py. It serves one request at a time.
type Driver struct {
	s      *Session
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *os.File
	tmp    string // TMPDIR of the kernel: what it leaves there goes with it
	ended  chan struct{}
}

// event is what execute.py answers; its documentation tells the fields.
type event struct {
	Event   string
	Cell    int
	Of      int
	Failure *failure
	Text    string
	HTML    []string
}

// brokenError is a request that failed as a whole: a notebook that cannot be
// read, or a kernel that does not start. The driver is ready for the next one.
type brokenError struct{ msg string }

func (e brokenError) Error() string { return e.msg }

// graceToEnd is how long execute.py gets to shut its kernel down, after the
// five seconds that GoNB gives an interrupted cell.
const graceToEnd = 10 * time.Second

// startDriver starts execute.py. It ends with close, and when ctx does.
func (s *Session) startDriver(ctx context.Context) (d *Driver, err error) {
	d = &Driver{s: s, ended: make(chan struct{})}
	d.tmp, err = os.MkdirTemp("", "bayescpace-")
	if err != nil {
		return nil, fmt.Errorf("making the kernel's temporary folder: %w", err)
	}
	defer func() {
		if err != nil {
			os.RemoveAll(d.tmp)
		}
	}()
	if err := s.makeLogs(); err != nil {
		return nil, fmt.Errorf("making the folder for logs: %w", err)
	}
	d.stderr, err = os.CreateTemp(s.logs(), "execute-*.log")
	if err != nil {
		return nil, fmt.Errorf("starting the log of the kernel: %w", err)
	}
	d.cmd = exec.Command(s.python(), filepath.Join(s.lib(), "execute.py"))
	OwnGroup(d.cmd)
	env := s.Env.With("TMPDIR", d.tmp)
	d.cmd.Dir, d.cmd.Env, d.cmd.Stderr = s.Notebooks, env.List(), d.stderr
	if d.in, err = d.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("starting execute.py: %w", err)
	}
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting execute.py: %w", err)
	}
	d.out = bufio.NewReader(out)
	if err := d.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting execute.py: %w", err)
	}
	go func() {
		select {
		case <-ctx.Done():
			d.in.Close() // the driver then interrupts the cell and ends the kernel
			select {
			case <-d.ended:
			case <-time.After(graceToEnd):
				KillGroup(d.cmd)
			}
		case <-d.ended:
		}
	}()
	return d, nil
}

// close ends the driver and its kernel and removes what they left.
func (d *Driver) close() {
	d.in.Close()
	late := time.AfterFunc(graceToEnd, func() { KillGroup(d.cmd) })
	io.Copy(io.Discard, d.out)
	d.cmd.Wait()
	late.Stop()
	close(d.ended)
	d.stderr.Close()
	os.RemoveAll(d.tmp)
	if info, err := os.Stat(d.stderr.Name()); err == nil && info.Size() == 0 {
		os.Remove(d.stderr.Name())
	}
}

// ask sends a request and hands the events on until the one that ends it.
func (d *Driver) ask(ctx context.Context, request map[string]any, on func(event)) (event, error) {
	line, err := json.Marshal(request)
	if err != nil {
		return event{}, fmt.Errorf("asking execute.py: %w", err)
	}
	if _, err := d.in.Write(append(line, '\n')); err != nil {
		return event{}, d.gone(ctx, err)
	}
	for {
		line, err := d.out.ReadBytes('\n')
		if err != nil {
			return event{}, d.gone(ctx, err)
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return event{}, fmt.Errorf("reading what execute.py answered (%.80q): %w", line, err)
		}
		switch e.Event {
		case "cell":
			on(e)
		case "broken":
			return e, brokenError{strings.Join(strings.Fields(e.Text), " ")}
		default:
			return e, nil
		}
	}
}

// gone explains why the driver answers no more.
func (d *Driver) gone(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	said, _ := os.ReadFile(d.stderr.Name())
	return fmt.Errorf("execute.py ended before its work did (%w): %s (the full log is %s)", err, lastLine(string(said)), d.s.short(d.stderr.Name()))
}

// execute runs the notebook at path in a new kernel and returns it with its
// outputs, normalised, along with what stopped it before its end, if anything. A
// cell may take the time of timeout. Runs are read from and kept in the folder
// store, or where the user keeps them if that is "".
func (d *Driver) execute(ctx context.Context, path, store string, timeout time.Duration, on func(event)) (*Notebook, *failure, error) {
	to := filepath.Join(d.tmp, filepath.Base(path))
	env, folders := map[string]string{}, []string{d.tmp}
	if store != "" {
		env[storeVariable] = store
		folders = append(folders, store)
	}
	e, err := d.ask(ctx, map[string]any{
		"execute": path, "to": to, "kernel": kernelName, "cwd": filepath.Dir(path), "timeout": timeout.Seconds(), "env": env,
	}, on)
	if err != nil {
		return nil, nil, fmt.Errorf("executing %s: %w", d.s.short(path), err)
	}
	nb, err := ReadNotebook(to)
	if err != nil {
		return nil, nil, err
	}
	nb.Normalise(cleaner(d.s.Root, folders...))
	return nb, e.Failure, nil
}

// Export writes the notebook at path as one HTML page that needs no network.
func (d *Driver) Export(ctx context.Context, path, to string, pages []string) error {
	if _, err := d.ask(ctx, map[string]any{"export": path, "to": to, "pages": pages}, nil); err != nil {
		return fmt.Errorf("exporting %s: %w", d.s.short(path), err)
	}
	return nil
}

// Export writes the notebook at path as one HTML page, which needs no network.
func (s *Session) Export(ctx context.Context, path, to string) error {
	d, err := s.startDriver(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	return d.Export(ctx, path, to, []string{Title(path)})
}
