package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
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
	l := &linkedCells{Session: s, opt: opt}
	if store != "" {
		l.env, l.folders = []string{storeVariable + "=" + store}, []string{store}
	}
	if err := l.link(ctx, paths); err != nil {
		return err
	}
	defer l.linked.Close()
	start := func(context.Context) (*linkedCells, error) { return l, nil }
	return sideBySide(ctx, s, paths, len(paths), start, func(_ *linkedCells, e Executed, took time.Duration) error { return done(e, took) })
}

// linkedCells are the programs of notebooks: the engine of check.
type linkedCells struct {
	*Session
	opt     Options
	linked  *cells.Linked
	env     []string // of cells
	folders []string // to be taken out of outputs
}

// link links the cells of the notebooks that can be read.
func (l *linkedCells) link(ctx context.Context, paths []string) (err error) {
	sources := make(map[string][]string)
	for _, path := range paths {
		if nb, err := ReadNotebook(path); err == nil {
			sources[Title(path)] = sourcesOf(nb.CodeCells())
		}
	}
	l.at("linking", fmt.Sprintf("the programs of %d notebooks", len(sources)))
	defer l.end("linking")
	defer l.during()()
	l.linked, err = cells.Link(ctx, cells.Options{Module: l.Root, Dir: l.Notebooks, Env: l.Env.List()}, sources)
	return err
}

func (l *linkedCells) close() {}

// skips tells of a cell that is not to be executed.
func (l *linkedCells) skips(c Cell) bool { return l.opt.SkipLong && c.tagged(tagLong) }

// execute executes the notebook at path up to the first cell that fails.
func (l *linkedCells) execute(ctx context.Context, path string, at func(cell, of int)) (Executed, error) {
	nb, err := ReadNotebook(path)
	if err != nil {
		return Executed{path, nil, &failure{Kind: "broken", Text: err.Error()}}, nil
	}
	failed := l.fill(ctx, nb.CodeCells(), Title(path), at)
	nb.Normalise(cleaner(l.Root, l.folders...))
	return Executed{path, nb, failed}, nil
}

// fill fills the code cells of a notebook with their outputs, up to the first that fails.
func (l *linkedCells) fill(ctx context.Context, codes []Cell, title string, at func(cell, of int)) *failure {
	for _, c := range codes {
		if !l.skips(c) {
			c["outputs"], c["execution_count"] = []any{}, nil
		}
	}
	if fault := l.linked.Fault(title); fault != nil {
		return &failure{Cell: fault.Cell, Kind: "error", Text: fault.Text}
	}
	for i, c := range codes {
		if c.tagged(tagRaises) {
			return &failure{Cell: i + 1, Kind: "error", Text: "is to fail, and what an error looks like only the kernel shows"}
		}
		at(i+1, len(codes))
		if strings.TrimSpace(c.Source()) == "" || l.skips(c) {
			continue
		}
		cell, cancel := context.WithTimeout(ctx, l.opt.Timeout)
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
			return &failure{Cell: i + 1, Kind: "timeout", Text: fmt.Sprintf("took longer than %g seconds", l.opt.Timeout.Seconds())}
		case err != nil:
			return &failure{Cell: i + 1, Kind: "error", Text: err.Error()}
		}
	}
	return nil
}
