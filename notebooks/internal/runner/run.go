package runner

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// atOnce is how many notebooks are executed side by side at most, where there are
// as many cores: a cell is compiled and runs on one core for most of its time.
const atOnce = 4

// ExecuteAll sets up when needed, executes the chosen notebooks side by side and
// hands each result to done, one after the other, with the time that it took. An
// error from done ends it.
func (s *Session) ExecuteAll(ctx context.Context, names []string, opt Options, done func(*Driver, Executed, time.Duration) error) error {
	paths, err := s.chosen(names)
	if err != nil {
		return err
	}
	unlock, err := s.use(ctx, ProfileRun)
	if err != nil {
		return err
	}
	defer unlock()
	store, remove, err := opt.store()
	if err != nil {
		return err
	}
	defer remove()

	working, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	x := &kernelExecution{Session: s, store: store, timeout: opt.Timeout, done: done, active: make(map[string]*underWay)}
	stop := s.during(x.now)
	defer stop()
	left := make(chan string, len(paths))
	for _, path := range longestFirst(paths) {
		left <- path
	}
	close(left)
	var all sync.WaitGroup
	for range min(len(paths), runtime.GOMAXPROCS(0), atOnce) {
		all.Go(func() { x.executeEach(working, cancel, left) })
	}
	all.Wait()
	return context.Cause(working)
}

// kernelExecution is one call of ExecuteAll.
type kernelExecution struct {
	*Session
	store   string
	timeout time.Duration
	done    func(*Driver, Executed, time.Duration) error
	results sync.Mutex // done is called under it
	mu      sync.Mutex
	active  map[string]*underWay // what runs, by title
}

// underWay is a notebook that is being executed.
type underWay struct {
	begin time.Time
	at    event // how far it has come; the zero event before the first
}

// now tells what runs.
func (k *kernelExecution) now() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var now []string
	for _, title := range slices.Sorted(maps.Keys(k.active)) {
		p, where := k.active[title], "starting the kernel"
		if p.at.Of > 0 {
			where = fmt.Sprintf("cell %d/%d", p.at.Cell, p.at.Of)
		}
		now = append(now, fmt.Sprintf("%s  %s  %s", title, where, seconds(time.Since(p.begin))))
	}
	return strings.Join(now, "; ")
}

// executeEach executes the notebooks that are left, one after the other, with a driver of its
// own. An error goes to cancel.
func (k *kernelExecution) executeEach(ctx context.Context, cancel context.CancelCauseFunc, left <-chan string) {
	d, err := k.startDriver(ctx)
	if err != nil {
		cancel(err)
		return
	}
	defer d.close()
	for path := range left {
		if err := k.execute(ctx, d, path); err != nil {
			cancel(err)
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// execute executes a notebook and hands the result to x.done.
func (k *kernelExecution) execute(ctx context.Context, d *Driver, path string) error {
	p := &underWay{begin: time.Now()}
	k.mu.Lock()
	k.active[Title(path)] = p
	k.mu.Unlock()
	nb, failed, err := d.execute(ctx, path, k.store, k.timeout, func(e event) {
		k.mu.Lock()
		defer k.mu.Unlock()
		p.at = e
	})
	var broken brokenError
	if errors.As(err, &broken) {
		nb, failed, err = nil, &failure{Kind: "broken", Text: broken.msg}, nil
	}
	k.mu.Lock()
	delete(k.active, Title(path))
	k.mu.Unlock()
	if err != nil {
		return err
	}
	k.results.Lock()
	defer k.results.Unlock()
	return k.done(d, Executed{path, nb, failed}, time.Since(p.begin))
}

// everything is the name that stands for all notebooks.
const everything = "all"

// runNotebooks is the verb run. Without names it executes the first notebook, and says how to
// go on.
func (s *Session) runNotebooks(ctx context.Context, names []string, opt Options) error {
	out, err := s.makeOut(opt)
	if err != nil {
		return err
	}
	// What is committed must come out wherever it is checked.
	opt.Fresh = opt.write
	alone := len(names) == 0
	if alone {
		if names, err = s.first(); err != nil {
			return err
		}
	}
	x := &notebooksRun{Session: s, opt: opt, out: out, compared: slices.Contains(names, everything) && !opt.write, exhibits: make(map[string]exhibit)}
	if slices.Contains(names, everything) {
		names = nil
	}
	if x.pages, err = s.pages(names, out, opt.gallery, opt.gallery && opt.dir == ""); err != nil {
		return err
	}
	err = s.ExecuteAll(ctx, names, opt, func(d *Driver, e Executed, took time.Duration) error { return x.take(ctx, d, e, took) })
	if err != nil {
		return err
	}
	if alone && x.failed == 0 && !opt.gallery {
		s.line("%s", goOn(s.short(x.page)))
		if !opt.NoBrowser && s.tty {
			openPage(ctx, s.Env, x.page)
		}
		return nil
	}
	return x.finish(ctx)
}

// makeOut returns the folder for executed notebooks and pages. It makes one that the user has
// named, so that a mistake is told before anything is executed.
func (s *Session) makeOut(opt Options) (string, error) {
	out := opt.out
	if out == "" {
		out = s.out()
	}
	out, err := filepath.Abs(out)
	if err != nil {
		return "", fmt.Errorf("--out %s: %w", opt.out, err)
	}
	if opt.out != "" {
		if err := os.MkdirAll(out, 0o755); err != nil {
			return "", fmt.Errorf("--out: making the folder: %w", err)
		}
	}
	return out, nil
}

// notebooksRun is one call of runNotebooks.
type notebooksRun struct {
	*Session
	opt      Options
	out      string
	pages    []string           // what links of pages lead to
	compared bool               // with the committed outputs
	page     string             // the latest
	exhibits map[string]exhibit // by the notebook's path
	failed   int
}

// take writes an executed notebook and its page, and tells how it went.
func (n *notebooksRun) take(ctx context.Context, d *Driver, e Executed, took time.Duration) error {
	if e.Notebook != nil {
		if err := n.write(ctx, d, e); err != nil {
			return err
		}
	}
	report, note, err := n.judge(e)
	if err != nil {
		return err
	}
	if !n.tell(e, took, report, note) {
		n.failed++
	}
	return nil
}

// write writes an executed notebook and its page, which it exhibits for a gallery.
func (n *notebooksRun) write(ctx context.Context, d *Driver, e Executed) error {
	to := filepath.Join(n.out, filepath.Base(e.Path))
	if err := e.Notebook.Write(to); err != nil {
		return err
	}
	n.page = strings.TrimSuffix(to, ".ipynb") + ".html"
	if err := d.Export(ctx, to, n.page, n.pages); err != nil {
		return err
	}
	if n.opt.gallery {
		shown, err := d.exhibitOf(ctx, e, n.page, n.pages)
		if err != nil {
			return err
		}
		n.exhibits[e.Path] = shown
	}
	return nil
}

// judge reports what is wrong with a notebook, "" if nothing is. Where outputs are to be written
// back it does so, and a note says if that has changed the notebook.
func (n *notebooksRun) judge(e Executed) (report, note string, err error) {
	if e.failure != nil {
		report = e.report()
	} else if n.compared {
		if report, err = n.Check(e); err != nil {
			return "", "", err
		}
	}
	if report == "" && n.opt.write {
		changed, err := writeBack(e)
		if err != nil {
			return "", "", err
		}
		if changed {
			note = "  written"
		}
	}
	return report, note, nil
}

// finish makes the gallery, if it is asked for, and says what has become of all.
func (n *notebooksRun) finish(ctx context.Context) (err error) {
	n.line("executed notebooks and pages are in %s", n.short(n.out))
	if n.opt.gallery {
		err = n.gallery(ctx, n.out, n.opt.dir == "", n.exhibits)
	}
	if n.failed > 0 {
		n.line("%d notebook(s) failed", n.failed)
		if err == nil {
			err = errReported
		}
	}
	return err
}

// indexTitle stands among the titles of notebooks for the page of contents.
const indexTitle = "index"

// liveTitle stands among the titles of notebooks for the live pages, see execute.py.
const liveTitle = "live"

// pages returns what links of pages lead to: the titles of the notebooks that have a page in the
// folder out, or get one as they are executed, and indexTitle and liveTitle, if these are there or
// index and live say that they will be.
func (s *Session) pages(executed []string, out string, index, live bool) ([]string, error) {
	all, err := s.List()
	if err != nil {
		return nil, err
	}
	now, err := s.chosen(executed)
	if err != nil {
		return nil, err
	}
	var titles []string
	for _, path := range all {
		if _, err := os.Stat(filepath.Join(out, Title(path)+".html")); err == nil || slices.Contains(now, path) {
			titles = append(titles, Title(path))
		}
	}
	if _, err := os.Stat(filepath.Join(out, "index.html")); index || err == nil {
		titles = append(titles, indexTitle)
	}
	if _, err := os.Stat(filepath.Join(out, "live", "index.html")); live || err == nil {
		titles = append(titles, liveTitle)
	}
	return titles, nil
}

// first is the name of the first notebook.
func (s *Session) first() ([]string, error) {
	paths, err := s.chosen(nil)
	if err != nil {
		return nil, err
	}
	return []string{Title(paths[0])}, nil
}

// goOn is what run says after the first notebook.
func goOn(page string) string {
	return "the executed notebook is " + page + `
go on with
  go run ./notebooks lab          JupyterLab, with your own copies of the notebooks
  go run ./notebooks run 03 05    execute others, by number or name
  go run ./notebooks run all      execute all, and compare them with what is committed`
}

// tell prints the line of a notebook, and what is wrong with it if that is anything. It
// returns whether it is nothing.
func (s *Session) tell(e Executed, took time.Duration, report, note string) bool {
	if report != "" {
		s.line("FAIL  %-30s %8s\n%s", Title(e.Path), seconds(took), report)
		return false
	}
	s.line("ok    %-30s %8s%s", Title(e.Path), seconds(took), note)
	return true
}

// checkNotebooks is the verb check. It needs no kernel.
func (s *Session) checkNotebooks(ctx context.Context, names []string, opt Options) error {
	opt.Fresh = true
	failed := 0
	err := s.ExecuteLinked(ctx, names, opt, func(e Executed, took time.Duration) error {
		report, err := s.Check(e)
		if err != nil {
			return err
		}
		if !s.tell(e, took, report, "") {
			failed++
		}
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
func said(c Cell, f *failure) string {
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
			add(Text(o["ename"]) + ": " + Text(o["evalue"]))
			traceback, _ := o["traceback"].([]any)
			for _, line := range traceback {
				add(Text(line))
			}
		}
	}
	add(c.Stream("stderr"))
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
	keepEqual(committed, e.Notebook)
	for _, c := range e.Notebook.CodeCells() {
		for _, o := range c.Displays() {
			data, _ := o["data"].(map[string]any)
			if png, err := base64.StdEncoding.DecodeString(strings.TrimSpace(Text(data["image/png"]))); err == nil && len(png) > 0 {
				data["image/png"] = base64.StdEncoding.EncodeToString(smallest(png))
			}
		}
	}
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
	var b strings.Builder
	for _, name := range []string{"stdout", "stderr"} {
		b.WriteString(number.ReplaceAllString(c.Stream(name), "#") + "\x00")
	}
	for _, o := range c.Displays() {
		b.WriteString(kinds([]Output{o}) + "\x00")
		data, _ := o["data"].(map[string]any)
		for _, mime := range []string{"text/html", "text/markdown", "text/plain"} {
			b.WriteString(number.ReplaceAllString(Text(data[mime]), "#") + "\x00")
		}
	}
	return b.String()
}
