package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// executed is the result of executing one notebook.
type executed struct {
	path    string
	nb      *notebook // as far as it was executed; nil when it could not be at all
	failure *failure  // nil when every cell passed
}

// executeAll sets up when needed, executes the chosen notebooks one after the
// other and hands each result to done, with the time that it took. An error
// from done ends it.
func (s *session) executeAll(ctx context.Context, names []string, opt options, done func(*driver, executed, time.Duration) error) error {
	paths, err := s.list()
	if err != nil {
		return err
	}
	if paths, err = choose(paths, names); err != nil {
		return err
	}
	if len(paths) == 0 {
		return fmt.Errorf("there are no notebooks (NN_topic.ipynb) in %s", s.short(s.notebooks))
	}
	if err := s.setup(ctx, profileRun); err != nil {
		return err
	}
	// Nobody may set up anew below a running kernel.
	unlock, err := lockPrivate(ctx, s.place, false, func() { s.line("waiting for another run's set-up to finish") })
	if err != nil {
		return err
	}
	defer unlock()
	d, err := s.startDriver(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	for i, path := range paths {
		begin := time.Now()
		now := make(chan event, 1) // the cell being executed
		now <- event{}
		stop := s.during(func() string {
			e := <-now
			now <- e
			where := "starting the kernel"
			if e.Of > 0 {
				where = fmt.Sprintf("cell %d/%d", e.Cell, e.Of)
			}
			return fmt.Sprintf("%s (%d/%d)  %s  %s", title(path), i+1, len(paths), where, seconds(time.Since(begin)))
		})
		nb, failed, err := d.execute(ctx, path, opt, func(e event) { <-now; now <- e })
		stop()
		var broken brokenError
		if errors.As(err, &broken) {
			nb, failed, err = nil, &failure{Kind: "broken", Text: broken.msg}, nil
		}
		if err == nil {
			err = done(d, executed{path, nb, failed}, time.Since(begin))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// runNotebooks is the verb run.
func (s *session) runNotebooks(ctx context.Context, names []string, opt options) error {
	out := opt.out
	if out == "" {
		out = filepath.Join(s.private, "out")
	}
	out, err := filepath.Abs(out)
	if err != nil {
		return fmt.Errorf("--out %s: %w", opt.out, err)
	}
	if opt.out != "" { // a mistake is told before anything is executed
		if err := os.MkdirAll(out, 0o755); err != nil {
			return fmt.Errorf("--out: making the folder: %w", err)
		}
	}
	// What is committed must come out wherever it is checked.
	opt.fresh = opt.write
	failed := 0
	var exhibits []exhibit
	err = s.executeAll(ctx, names, opt, func(d *driver, e executed, took time.Duration) error {
		if e.nb != nil {
			to := filepath.Join(out, filepath.Base(e.path))
			if err := e.nb.write(to); err != nil {
				return err
			}
			page := strings.TrimSuffix(to, ".ipynb") + ".html"
			if err := d.export(ctx, to, page); err != nil {
				return err
			}
			if opt.gallery {
				x, err := d.exhibitOf(ctx, e, page)
				if err != nil {
					return err
				}
				exhibits = append(exhibits, x)
			}
		}
		if e.failure != nil {
			failed++
			s.line("FAIL  %-30s %8s\n%s", title(e.path), seconds(took), e.report())
			return nil
		}
		note := ""
		if opt.write {
			changed, err := writeBack(e)
			if err != nil {
				return err
			}
			if changed {
				note = "  written"
			}
		}
		s.line("ok    %-30s %8s%s", title(e.path), seconds(took), note)
		return nil
	})
	if err != nil {
		return err
	}
	s.line("executed notebooks and pages are in %s", s.short(out))
	if opt.gallery {
		index := filepath.Join(out, "index.html")
		if err := writeGallery(index, exhibits); err != nil {
			return err
		}
		s.line("the gallery is %s", s.short(index))
	}
	if failed > 0 {
		s.line("%d notebook(s) failed", failed)
		return errReported
	}
	return nil
}

// checkNotebooks is the verb check.
func (s *session) checkNotebooks(ctx context.Context, names []string, opt options) error {
	opt.fresh = true
	failed := 0
	err := s.executeAll(ctx, names, opt, func(_ *driver, e executed, took time.Duration) error {
		report, err := s.check(e)
		if err != nil {
			return err
		}
		if report == "" {
			s.line("ok    %-30s %8s", title(e.path), seconds(took))
			return nil
		}
		failed++
		s.line("FAIL  %-30s %8s\n%s", title(e.path), seconds(took), report)
		return nil
	})
	if err != nil {
		return err
	}
	if failed > 0 {
		s.line("%d notebook(s) failed", failed)
		return errReported
	}
	return nil
}

// check returns "" when the notebook ran to its end and gave what is
// committed, and otherwise what went wrong.
func (s *session) check(e executed) (string, error) {
	if e.failure != nil {
		return e.report(), nil
	}
	committed, err := readNotebook(e.path)
	if err != nil {
		return "", err
	}
	committed.normalise(cleaner(s.root))
	diffs := compare(committed, e.nb)
	if len(diffs) == 0 {
		return "", nil
	}
	var b strings.Builder
	for _, d := range diffs {
		fmt.Fprintf(&b, "  %s, cell %d: %s\n", title(e.path), d.cell, strings.ReplaceAll(d.what, "\n", "\n  "))
	}
	fmt.Fprintf(&b, "  if the new outputs are right: go run ./notebooks run --write %s", title(e.path))
	return b.String(), nil
}

// sourceLines is how many lines of a failing cell a report shows.
const sourceLines = 8

// report tells which cell failed, how it begins and what it said.
func (e executed) report() string {
	if e.nb == nil {
		return fmt.Sprintf("  %s: could not be executed: %s", title(e.path), e.failure.Text)
	}
	c := e.nb.codeCells()[e.failure.Cell-1]
	var b strings.Builder
	what := map[string]string{"error": "failed", "command": "a ! command failed", "timeout": "ran out of time (see --timeout)", "dead": "lost its kernel"}[e.failure.Kind]
	fmt.Fprintf(&b, "  %s, cell %d: %s\n", title(e.path), e.failure.Cell, what)
	lines := strings.Split(strings.TrimSpace(c.source()), "\n")
	for i, line := range lines {
		if i == sourceLines {
			fmt.Fprintf(&b, "    | … %d more lines\n", len(lines)-i)
			break
		}
		fmt.Fprintf(&b, "    | %s\n", line)
	}
	for _, line := range strings.Split(strings.TrimSpace(said(c, e.failure)), "\n") {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	return strings.TrimRight(b.String(), "\n")
}

var ansi = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

// said is the text of a failure: the error's own, then what the cell wrote to
// stderr, less what these repeat of each other.
func said(c cell, f *failure) string {
	var parts []string
	add := func(s string) {
		s = strings.TrimSpace(ansi.ReplaceAllString(s, ""))
		if s == "" {
			return
		}
		for _, p := range parts {
			if strings.Contains(p, s) {
				return
			}
		}
		parts = append(parts, s)
	}
	add(f.Text)
	for _, o := range c.outputs() {
		if o["output_type"] == "error" {
			add(text(o["ename"]) + ": " + text(o["evalue"]))
			traceback, _ := o["traceback"].([]any)
			for _, line := range traceback {
				add(text(line))
			}
		}
	}
	add(c.stream("stderr"))
	return strings.Join(parts, "\n")
}

// writeBack gives the notebook in the work tree its new outputs. Outputs equal
// to the committed ones are kept as they are, so that executing twice gives
// the same bytes.
func writeBack(e executed) (changed bool, err error) {
	old, err := os.ReadFile(e.path)
	if err != nil {
		return false, fmt.Errorf("reading the notebook to write to: %w", err)
	}
	committed, err := readNotebook(e.path)
	if err != nil {
		return false, err
	}
	keepEqual(committed, e.nb)
	data, err := e.nb.bytes()
	if err != nil || bytes.Equal(old, data) {
		return false, err
	}
	return true, writeFile(e.path, data)
}

// keepEqual puts the committed outputs in place of new ones that say the same:
// equal ones, and in cells of timings those that differ in numbers alone.
func keepEqual(committed, now *notebook) {
	olds, news := committed.codeCells(), now.codeCells()
	if len(olds) != len(news) {
		return
	}
	for i, c := range news {
		same := len(compareOutputs(olds[i], c)) == 0
		if c.tagged(tagTiming) {
			same = shape(olds[i]) == shape(c)
		}
		if same && olds[i]["execution_count"] != nil {
			c["outputs"] = olds[i]["outputs"]
		}
	}
}

// shape is a cell's outputs without their numbers and pictures.
func shape(c cell) string {
	var b strings.Builder
	for _, name := range []string{"stdout", "stderr"} {
		b.WriteString(number.ReplaceAllString(c.stream(name), "#") + "\x00")
	}
	for _, o := range c.displays() {
		b.WriteString(kinds([]output{o}) + "\x00")
		data, _ := o["data"].(map[string]any)
		for _, mime := range []string{"text/html", "text/markdown", "text/plain"} {
			b.WriteString(number.ReplaceAllString(text(data[mime]), "#") + "\x00")
		}
	}
	return b.String()
}
