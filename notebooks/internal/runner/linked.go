package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"bayescpace/notebooks/internal/cells"
)

// ExecuteLinked executes the chosen notebooks without a kernel: package cells links all
// cells of a notebook into one program, which runs once for each cell. It needs nothing but
// Go. It hands each result to done, one after the other, with the time that it took. An
// error from done ends it.
func (s *Session) ExecuteLinked(ctx context.Context, names []string, opt Options, done func(Executed, time.Duration) error) error {
	paths, err := s.chosen(names)
	if err != nil {
		return err
	}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	store, remove, err := opt.store()
	if err != nil {
		return err
	}
	defer remove()
	x := &linkedExecution{Session: s, timeout: opt.Timeout, skipLong: opt.SkipLong, active: make(map[string]string)}
	if store != "" {
		x.env, x.folders = []string{storeVariable + "=" + store}, []string{store}
	}
	stop := s.during(x.now)
	defer stop()
	notebooks := make(map[string]*Notebook)
	var toLink []cells.CellSource
	for _, path := range paths {
		nb, err := ReadNotebook(path)
		if err != nil {
			if err := done(Executed{Path: path, failure: &failure{Kind: "broken", Text: err.Error()}}, 0); err != nil {
				return err
			}
			continue
		}
		notebooks[path] = nb
		toLink = append(toLink, cells.CellSource{Name: Title(path), Cells: sourcesOf(nb.CodeCells())})
	}
	x.set("linking", fmt.Sprintf("the programs of %d notebooks", len(toLink)))
	x.linked, err = cells.Link(ctx, cells.Options{Module: s.Root, Dir: s.Notebooks, Env: s.Env.List(), Run: run}, toLink)
	if err != nil {
		return err
	}
	defer x.linked.Close()
	x.set("linking", "")

	working, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	left := make(chan string, len(paths))
	for _, path := range longestFirst(paths) {
		if notebooks[path] != nil {
			left <- path
		}
	}
	close(left)
	var all sync.WaitGroup
	var results sync.Mutex // done is called under it
	for range min(len(paths), runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for path := range left {
				begin := time.Now()
				e := Executed{Path: path, Notebook: notebooks[path]}
				e.failure = x.execute(working, e.Notebook, Title(path))
				if working.Err() != nil {
					return
				}
				results.Lock()
				err := done(e, time.Since(begin))
				results.Unlock()
				if err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	all.Wait()
	return context.Cause(working)
}

// linkedExecution is one call of ExecuteLinked.
type linkedExecution struct {
	*Session
	linked   *cells.Linked
	env      []string // of cells
	folders  []string // to be taken out of outputs
	timeout  time.Duration
	skipLong bool
	mu       sync.Mutex
	active   map[string]string // what runs, by title
}

// set says what runs under a title, or "" that nothing does.
func (l *linkedExecution) set(title, what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if what == "" {
		delete(l.active, title)
	} else {
		l.active[title] = title + "  " + what
	}
}

// now tells what runs.
func (l *linkedExecution) now() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(slices.Sorted(maps.Values(l.active)), "; ")
}

// skips tells of a cell that is not to be executed.
func (l *linkedExecution) skips(c Cell) bool { return l.skipLong && c.tagged(tagLong) }

// execute fills the code cells of a notebook with their outputs, up to the first that fails.
func (l *linkedExecution) execute(ctx context.Context, nb *Notebook, title string) (failed *failure) {
	defer l.set(title, "")
	codes := nb.CodeCells()
	for _, c := range codes {
		if !l.skips(c) {
			c["outputs"], c["execution_count"] = []any{}, nil
		}
	}
	defer nb.Normalise(cleaner(l.Root, l.folders...))
	if fault := l.linked.Fault(title); fault != nil {
		return &failure{Cell: fault.Cell, Kind: "error", Text: fault.Text}
	}
	for i, c := range codes {
		if c.tagged(tagRaises) {
			return &failure{Cell: i + 1, Kind: "error", Text: "is to fail, and what an error looks like only the kernel shows"}
		}
		l.set(title, fmt.Sprintf("cell %d/%d", i+1, len(codes)))
		if strings.TrimSpace(c.Source()) == "" || l.skips(c) {
			continue
		}
		cell, cancel := context.WithTimeout(ctx, l.timeout)
		outputs, err := l.linked.Execute(cell, title, i+1, l.env...)
		late := cell.Err() != nil && ctx.Err() == nil
		cancel()
		list := make([]any, len(outputs))
		for j, o := range outputs {
			list[j] = o
		}
		c["outputs"], c["execution_count"] = list, json.Number(fmt.Sprint(i+1))
		switch {
		case late:
			return &failure{Cell: i + 1, Kind: "timeout", Text: fmt.Sprintf("took longer than %g seconds", l.timeout.Seconds())}
		case err != nil:
			return &failure{Cell: i + 1, Kind: "error", Text: err.Error()}
		}
	}
	return nil
}
