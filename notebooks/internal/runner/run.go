package runner

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// engine executes notebooks, one after the other, in the way of run or of check.
type engine interface {
	// execute executes the notebook at path, and tells at which of how many cells it is.
	execute(ctx context.Context, path string, at func(cell, of int)) (Executed, error)
	close()
}

// sideBySide executes notebooks by so many engines at most, the longest first, and hands each
// result to done, one after the other, with the time that it took. An error of an engine or from
// done ends it.
func sideBySide[E engine](ctx context.Context, s *Session, paths []string, most int, start func(context.Context) (E, error), done func(E, Executed, time.Duration) error) error {
	working, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer s.during()()
	left := make(chan string, len(paths))
	for _, path := range longestFirst(paths) {
		left <- path
	}
	close(left)
	var results sync.Mutex // done is called under it
	one := func(e E, path string) error {
		begin := time.Now()
		s.at(Title(path), "starting")
		defer s.end(Title(path))
		x, err := e.execute(working, path, func(cell, of int) { s.at(Title(path), fmt.Sprintf("cell %d/%d", cell, of)) })
		if err == nil && working.Err() == nil {
			results.Lock()
			defer results.Unlock()
			err = done(e, x, time.Since(begin))
		}
		return err
	}
	var all sync.WaitGroup
	for range min(len(paths), runtime.GOMAXPROCS(0), most) {
		all.Go(func() {
			e, err := start(working)
			if err != nil {
				cancel(err)
				return
			}
			defer e.close()
			for path := range left {
				if err := one(e, path); err != nil {
					cancel(err)
				}
				if working.Err() != nil {
					return
				}
			}
		})
	}
	all.Wait()
	return context.Cause(working)
}

// everything is the name that stands for all notebooks.
const everything = "all"

// atOnce is how many notebooks are executed side by side at most, where there are
// as many cores: a cell is compiled and runs on one core for most of its time.
const atOnce = 4

// runVerb is the verb run. Without names it executes the first notebook, and says how to
// go on.
func (s *Session) runVerb(ctx context.Context, c command) error {
	names, opt := c.names, c.opt
	out, err := s.outFolder(opt)
	if err != nil {
		return err
	}
	alone, all := len(names) == 0, slices.Contains(names, everything)
	if all {
		names = nil
	}
	paths, err := s.chosen(names)
	if err != nil {
		return err
	}
	if alone {
		paths = paths[:1]
	}
	x := &notebooksRun{Session: s, opt: opt, out: out, compared: all && !opt.write, exhibits: make(map[string]exhibit)}
	if x.pages, err = s.pages(paths, out, opt); err != nil {
		return err
	}
	unlock, err := s.use(ctx, ProfileRun)
	if err != nil {
		return err
	}
	defer unlock()
	// What is committed must come out wherever it is checked.
	opt.Fresh = opt.write
	store, remove, err := opt.store()
	if err != nil {
		return err
	}
	defer remove()
	start := func(ctx context.Context) (*driver, error) { return s.startDriver(ctx, store, opt.Timeout) }
	err = sideBySide(ctx, s, paths, atOnce, start, func(d *driver, e Executed, took time.Duration) error { return x.take(ctx, d, e, took) })
	if err != nil {
		return err
	}
	if alone && s.failures == 0 && !opt.gallery {
		s.line(goOn, s.short(x.page))
		if !opt.NoBrowser && s.tty {
			openPage(ctx, s.Env, x.page)
		}
		return nil
	}
	s.line("executed notebooks and pages are in %s", s.short(out))
	if opt.gallery {
		err = s.gallery(ctx, out, opt.dir == "", x.exhibits)
	}
	return cmp.Or(err, s.failed())
}

// failed tells how many notebooks have failed, if any.
func (s *Session) failed() error {
	if s.failures == 0 {
		return nil
	}
	s.line("%d notebook(s) failed", s.failures)
	return errReported
}

// notebooksRun is one call of runVerb.
type notebooksRun struct {
	*Session
	opt      Options
	out      string
	pages    []string           // what links of pages lead to
	compared bool               // with the committed outputs
	page     string             // the latest
	exhibits map[string]exhibit // by the notebook's path
}

// take writes an executed notebook and its page, and back to where it is from if that is asked
// for, and tells how it went.
func (n *notebooksRun) take(ctx context.Context, d *driver, e Executed, took time.Duration) (err error) {
	if e.Notebook != nil {
		to := filepath.Join(n.out, filepath.Base(e.Path))
		if err := e.Notebook.Write(to); err != nil {
			return err
		}
		n.page = strings.TrimSuffix(to, ".ipynb") + ".html"
		if err := d.export(ctx, to, n.page, n.pages); err != nil {
			return err
		}
		if n.opt.gallery {
			if n.exhibits[e.Path], err = d.exhibitOf(ctx, e, n.page, n.pages); err != nil {
				return err
			}
		}
	}
	report, note := "", ""
	if e.failure != nil || n.compared {
		if report, err = n.Check(e); err != nil {
			return err
		}
	}
	if report == "" && n.opt.write {
		changed, err := writeBack(e)
		if err != nil {
			return err
		}
		if changed {
			note = "  written"
		}
	}
	n.tell(e, took, report, note)
	return nil
}

// indexTitle stands among the titles of notebooks for the page of contents.
const indexTitle = "index"

// liveTitle stands among the titles of notebooks for the live pages, see execute.py.
const liveTitle = "live"

// pages returns what links of pages lead to: the titles of the notebooks that have a page in the
// folder out, or get one as they are executed, and indexTitle and liveTitle, if these are there or
// come with the gallery.
func (s *Session) pages(executed []string, out string, opt Options) ([]string, error) {
	all, err := s.List()
	if err != nil {
		return nil, err
	}
	there := func(page string) bool {
		_, err := os.Stat(filepath.Join(out, page))
		return err == nil
	}
	var titles []string
	for _, path := range all {
		if slices.Contains(executed, path) || there(Title(path)+".html") {
			titles = append(titles, Title(path))
		}
	}
	if opt.gallery || there("index.html") {
		titles = append(titles, indexTitle)
	}
	if opt.gallery && opt.dir == "" || there(filepath.Join("live", "index.html")) {
		titles = append(titles, liveTitle)
	}
	return titles, nil
}

// goOn is what run says after the first notebook, with its page.
const goOn = `the executed notebook is %s
go on with
  go run ./notebooks lab          JupyterLab, with your own copies of the notebooks
  go run ./notebooks run 03 05    execute others, by number or name
  go run ./notebooks run all      execute all, and compare them with what is committed`

// tell prints the line of a notebook, and what is wrong with it if that is anything.
func (s *Session) tell(e Executed, took time.Duration, report, note string) {
	if report == "" {
		s.line("ok    %-30s %8s%s", Title(e.Path), seconds(took), note)
		return
	}
	s.failures++
	s.line("FAIL  %-30s %8s\n%s", Title(e.Path), seconds(took), report)
}

// checkVerb is the verb check. It needs no kernel.
func (s *Session) checkVerb(ctx context.Context, c command) error {
	c.opt.Fresh = true
	err := s.ExecuteLinked(ctx, c.names, c.opt, func(e Executed, took time.Duration) error {
		report, err := s.Check(e)
		if err == nil {
			s.tell(e, took, report, "")
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.failed()
}

// Check returns "" when the notebook ran to its end and gave what is
// committed, and otherwise what went wrong.
func (s *Session) Check(e Executed) (string, error) {
	if e.failure != nil {
		return e.report(), nil
	}
	committed, err := ReadNotebook(e.Path)
	if err != nil {
		return "", err
	}
	committed.Normalise(cleaner(s.Root))
	diffs := compare(committed, e.Notebook)
	if len(diffs) == 0 {
		return "", nil
	}
	var b strings.Builder
	for _, d := range diffs {
		fmt.Fprintf(&b, "  %s, cell %d: %s\n", Title(e.Path), d.cell, strings.ReplaceAll(d.what, "\n", "\n  "))
	}
	fmt.Fprintf(&b, "  if the new outputs are right: go run ./notebooks run --write %s", Title(e.Path))
	return b.String(), nil
}

// sourceLines is how many lines of a failing cell a report shows.
const sourceLines = 8

// report tells which cell failed, how it begins and what it said.
func (e Executed) report() string {
	if e.Notebook == nil {
		return fmt.Sprintf("  %s: could not be executed: %s", Title(e.Path), e.failure.Text)
	}
	c := e.Notebook.CodeCells()[e.failure.Cell-1]
	var b strings.Builder
	what := map[string]string{"error": "failed", "command": "a ! command failed", "timeout": "ran out of time (see --timeout)", "dead": "lost its kernel"}[e.failure.Kind]
	fmt.Fprintf(&b, "  %s, cell %d: %s\n", Title(e.Path), e.failure.Cell, what)
	lines := strings.Split(strings.TrimSpace(c.Source()), "\n")
	for _, line := range lines[:min(sourceLines, len(lines))] {
		fmt.Fprintf(&b, "    | %s\n", line)
	}
	if more := len(lines) - sourceLines; more > 0 {
		fmt.Fprintf(&b, "    | … %d more lines\n", more)
	}
	b.WriteString("    " + strings.ReplaceAll(strings.TrimSpace(said(c, e.failure)), "\n", "\n    "))
	return strings.TrimRight(b.String(), "\n")
}

var ansi = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

// said is the text of a failure: the error's own, then what the cell wrote to
// stderr, less what these repeat of each other.
func said(c Cell, f *failure) string {
	texts := []string{f.Text}
	for _, o := range c.outputs() {
		if o["output_type"] == "error" {
			texts = append(texts, Text(o["ename"])+": "+Text(o["evalue"]))
			traceback, _ := o["traceback"].([]any)
			for _, line := range traceback {
				texts = append(texts, Text(line))
			}
		}
	}
	var parts []string
	for _, text := range append(texts, c.Stream("stderr")) {
		text = strings.TrimSpace(ansi.ReplaceAllString(text, ""))
		if text != "" && !slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(part, text) }) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n")
}

// writeBack gives the notebook in the work tree its new outputs. Outputs equal
// to the committed ones are kept as they are, so that executing twice gives
// the same bytes. Pictures are written as small as they can be.
func writeBack(e Executed) (changed bool, err error) {
	old, err := os.ReadFile(e.Path)
	if err != nil {
		return false, fmt.Errorf("reading the notebook to write to: %w", err)
	}
	committed, err := ReadNotebook(e.Path)
	if err != nil {
		return false, err
	}
	for _, c := range e.Notebook.CodeCells() {
		for _, o := range c.Displays() {
			if png, err := decodeBase64(Text(o.data()["image/png"])); err == nil && len(png) > 0 {
				o.data()["image/png"] = base64.StdEncoding.EncodeToString(smallest(png))
			}
		}
	}
	keepEqual(committed, e.Notebook)
	data, err := e.Notebook.Bytes()
	if err != nil || bytes.Equal(old, data) {
		return false, err
	}
	return true, writeFile(e.Path, data)
}

// keepEqual puts the committed outputs in place of new ones that say the same:
// equal ones, and in cells of timings those that differ in numbers alone. Their
// pictures must be equal to the pixel: a changed word is a few pixels in a figure, and
// within what compareImages lets pass. So a figure of times is written anew each time.
func keepEqual(committed, now *Notebook) {
	olds, news := committed.CodeCells(), now.CodeCells()
	if len(olds) != len(news) {
		return
	}
	for i, c := range news {
		same := len(CompareOutputs(olds[i], c)) == 0
		if c.tagged(tagTiming) {
			same = shape(olds[i]) == shape(c)
		}
		if same && slices.Equal(pictures(olds[i]), pictures(c)) && olds[i]["execution_count"] != nil {
			c["outputs"] = olds[i]["outputs"]
		}
	}
}

// shape is a cell's outputs without their numbers and without what its pictures show.
func shape(c Cell) string {
	texts := []string{c.Stream("stdout"), c.Stream("stderr")}
	for _, o := range c.Displays() {
		texts = append(texts, kinds(o))
		for _, mime := range []string{"text/html", "text/markdown", "text/plain"} {
			texts = append(texts, Text(o.data()[mime]))
		}
	}
	return number.ReplaceAllString(strings.Join(texts, "\x00"), "#")
}
