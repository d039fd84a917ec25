package runner

import (
	"bufio"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"bayescpace/notebooks/internal/host"
)

// scripts are programs in Python and what they read: execute.py drives the kernel with
// nbclient and exports with nbconvert, and grading.py is for nbgrader.
//
//go:embed execute.py pages.py grading.py figures.js
var scripts embed.FS

// writeScripts writes them to where Python finds them.
func (p Place) writeScripts() error {
	files := make(map[string][]byte)
	built, _ := scripts.ReadDir(".") // built in, as the files are
	for _, e := range built {
		files[e.Name()], _ = scripts.ReadFile(e.Name())
	}
	return writeFiles(p.lib(), files)
}

// driver is the running execute.py: the engine of run. It serves one request at a time.
type driver struct {
	s       *Session
	store   string // where cells keep runs, or "" for where they do by themselves
	timeout time.Duration
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	stderr  *os.File
	tmp     string // TMPDIR of the kernel: what it leaves there goes with it
}

// event is what execute.py answers; its documentation tells the fields.
type event struct {
	Event    string
	Cell, Of int
	Failure  *failure
	Text     string
	HTML     []string
}

// graceToEnd is how long execute.py gets to shut its kernel down, after the
// five seconds that GoNB gives an interrupted cell.
const graceToEnd = 10 * time.Second

// startDriver starts execute.py. It ends with close, and when ctx does.
func (s *Session) startDriver(ctx context.Context, store string, timeout time.Duration) (_ *driver, err error) {
	d := &driver{s: s, store: store, timeout: timeout}
	defer func() {
		if err != nil {
			os.RemoveAll(d.tmp)
			err = fmt.Errorf("starting execute.py: %w", err)
		}
	}()
	if d.tmp, err = os.MkdirTemp("", "bayescpace-"); err != nil {
		return nil, err
	}
	if d.stderr, err = os.CreateTemp(s.logs(), "execute-*.log"); err != nil {
		return nil, err
	}
	d.cmd = exec.CommandContext(ctx, s.python(), filepath.Join(s.lib(), "execute.py"))
	host.OwnGroup(d.cmd)
	d.cmd.Cancel = func() error { return d.in.Close() } // it then interrupts the cell and ends the kernel
	d.cmd.WaitDelay = graceToEnd
	d.cmd.Dir, d.cmd.Env, d.cmd.Stderr = s.Notebooks, s.Env.With("TMPDIR", d.tmp).List(), d.stderr
	if d.in, err = d.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	d.out = bufio.NewReader(out)
	return d, d.cmd.Start()
}

// close ends the driver and its kernel and removes what they left.
func (d *driver) close() {
	d.in.Close()
	late := time.AfterFunc(graceToEnd, func() { host.KillGroup(d.cmd) })
	io.Copy(io.Discard, d.out)
	d.cmd.Wait()
	late.Stop()
	d.stderr.Close()
	os.RemoveAll(d.tmp)
	if info, err := os.Stat(d.stderr.Name()); err == nil && info.Size() == 0 {
		os.Remove(d.stderr.Name())
	}
}

// ask sends a request and hands the events on until the one that ends it. The error is a *failure where the request failed as a
// whole: for a notebook that cannot be read, or a kernel that does not start. The driver is ready for the next one then.
func (d *driver) ask(ctx context.Context, request map[string]any, on func(event)) (event, error) {
	line, _ := json.Marshal(request) // plain data
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
			return e, &failure{Kind: e.Event, Text: strings.Join(strings.Fields(e.Text), " ")}
		default:
			return e, nil
		}
	}
}

// gone explains why the driver answers no more.
func (d *driver) gone(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	said, _ := os.ReadFile(d.stderr.Name())
	return fmt.Errorf("execute.py ended before its work did (%w): %s (the full log is %s)", err, lastLine(string(said)), d.s.short(d.stderr.Name()))
}

// execute runs the notebook at path in a new kernel. The result has its outputs, normalised.
func (d *driver) execute(ctx context.Context, path string, at func(cell, of int)) (Executed, error) {
	to := filepath.Join(d.tmp, filepath.Base(path))
	env, folders := map[string]string{}, []string{d.tmp}
	if d.store != "" {
		env[storeVariable] = d.store
		folders = append(folders, d.store)
	}
	e, err := d.ask(ctx, map[string]any{
		"execute": path, "to": to, "kernel": kernelName, "cwd": filepath.Dir(path), "timeout": d.timeout.Seconds(), "env": env,
	}, func(e event) { at(e.Cell, e.Of) })
	if broken, ok := errors.AsType[*failure](err); ok {
		return Executed{path, nil, broken}, nil
	}
	if err != nil {
		return Executed{}, fmt.Errorf("executing %s: %w", d.s.short(path), err)
	}
	nb, err := ReadNotebook(to)
	if err != nil {
		return Executed{}, err
	}
	nb.Normalise(cleaner(d.s.Root, folders...))
	return Executed{path, nb, e.Failure}, nil
}

// export writes the notebook at path as one HTML page that needs no network.
func (d *driver) export(ctx context.Context, path, to string, pages []string) error {
	if _, err := d.ask(ctx, map[string]any{"export": path, "to": to, "pages": pages}, nil); err != nil {
		return fmt.Errorf("exporting %s: %w", d.s.short(path), err)
	}
	return nil
}
