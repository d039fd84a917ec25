package cmd

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"bayescpace/bcpace/frame"
	"bayescpace/bcpace/frame/parquet"
	"bayescpace/bcpace/store"
)

var exportVerb = verb{
	name: "export", doc: "write the samples and the trace of a saved run as tables",
	usage: "--run FILE [--samples FILE] [--trace FILE] [--force] [--json]",
	examples: []string{
		"export --run tiger.bcp --samples samples.csv --trace trace.csv",
		"export --run tiger.bcp --samples samples.parquet",
	},
	args: func() arguments { return new(exportArgs) },
}

// exported is the JSON of the verb export. A change of a name or meaning breaks
// what reads it.
type exported struct {
	Model    string `json:"model"`
	Samples  int    `json:"samples"`
	Episodes int    `json:"episodes"`
}

// exportArgs are the flags of export.
type exportArgs struct {
	file, samples, trace string
}

func (a *exportArgs) flags(f *flags) {
	f.section("tables")
	f.value("run", "FILE", "run saved by bcpace solve --out", text(&a.file))
	f.value("samples", "FILE", "write the samples to a .csv or .parquet file", text(&a.samples))
	f.value("trace", "FILE", "write a row for each episode to a .csv or .parquet file", text(&a.trace))
	f.section("output")
	f.forceFlag()
	f.jsonFlag()
}

// export is the verb export.
func (a *exportArgs) run(p program, f *flags) error {
	switch {
	case !f.given["run"]:
		return misuse("--run is missing")
	case !f.given["samples"] && !f.given["trace"]:
		return misuse("--samples or --trace is missing")
	case f.given["samples"] && f.given["trace"] && sameFile(a.samples, a.trace):
		return misuse("--samples and --trace name the same file")
	}
	for _, t := range []struct {
		flag, file string
		kind       fileKind
	}{{"samples", a.samples, samplesKind}, {"trace", a.trace, traceKind}} {
		if !f.given[t.flag] {
			continue
		}
		if e := extension(t.file); e != ".csv" && e != ".parquet" {
			return misuse("%q is no name of a table, want one that ends in .csv or .parquet", t.file)
		}
		if sameFile(t.file, a.file) {
			return misuse("--%s and --run name the same file", t.flag)
		}
		if err := f.checkTarget(t.flag, t.file, t.kind); err != nil {
			return err
		}
	}
	r, err := openRun(p.ctx, a.file)
	if err != nil {
		return err
	}
	if a.samples != "" {
		if err := writeTable(p.ctx, a.samples, frame.WriteCSV, parquet.Write, frame.Samples(r)); err != nil {
			return err
		}
	}
	if a.trace != "" {
		if err := writeTable(p.ctx, a.trace, frame.WriteCSV, parquet.Write, frame.Trace(r)); err != nil {
			return err
		}
	}
	return f.printTable(p.stdout, exported{Model: r.Spec.Name, Samples: r.Samples.Len(), Episodes: len(r.Trace)})
}

func extension(file string) string { return strings.ToLower(filepath.Ext(file)) }

// writeTable writes a frame in the format that the file's name asks for.
func writeTable[F any](ctx context.Context, file string, csv, parquet func(io.Writer, F) error, df F) error {
	write := csv
	if extension(file) == ".parquet" {
		write = parquet
	}
	err := store.WriteFile(file, store.Content(func(w io.Writer) error { return write(untilEnd{ctx, w}, df) }))
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("interrupted before %s was written", file)
	}
	return err
}

// untilEnd is a writer that fails once the context has ended.
type untilEnd struct {
	ctx context.Context
	io.Writer
}

func (w untilEnd) Write(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Writer.Write(b)
}

func (e exported) rows(row func(...any)) {
	row("model", e.Model)
	row("samples", e.Samples)
	row("episodes", e.Episodes)
}
