package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/explicit"
	"bayescpace/bcpace/frame"
	"bayescpace/bcpace/frame/parquet"
	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/store"
)

var exportVerb = newVerb[exportArgs]("export", "write the samples and the trace of a saved run as tables, or a policy as a finite-state controller",
	"(--run FILE [--samples FILE] [--trace FILE] | --policy FILE [--model FILE [--property TEXT]] --graph FILE) [--force] [--json]",
	"export --run tiger.bcp --samples samples.csv --trace trace.csv",
	"export --run tiger.bcp --samples samples.parquet",
	"export --policy tiger.policy --model data/tiger.pomdp --graph tiger.pg")

// exportArgs are the flags of export.
type exportArgs struct {
	file, samples, trace string

	saved savedArgs
	graph string
}

func (a *exportArgs) flags(f *flags) {
	f.section("tables")
	f.value("run", "FILE", "run saved by bcpace solve --out", text(&a.file))
	f.value("samples", "FILE", "write the samples to a .csv or .parquet file", text(&a.samples))
	f.value("trace", "FILE", "write a row for each episode to a .csv or .parquet file", text(&a.trace))
	a.graphFlags(f)
	f.section("output")
	f.forceFlag()
	f.jsonFlag()
}

// export is the verb export.
func (a *exportArgs) run(p program, f *flags) error {
	if f.given["graph"] || f.given["policy"] {
		return a.writeGraph(p, f)
	}
	if err := cmp.Or(
		need(f.given["run"], "--run is missing"),
		need(f.given["samples"] || f.given["trace"], "--samples or --trace is missing"),
		need(!f.given["samples"] || !f.given["trace"] || !sameFile(a.samples, a.trace), "--samples and --trace name the same file")); err != nil {
		return err
	}
	others := map[string]string{"run": a.file}
	if err := cmp.Or(f.checkTable("samples", a.samples, samplesKind, others),
		f.checkTable("trace", a.trace, traceKind, others)); err != nil {
		return err
	}
	r, err := openRun(p.ctx, a.file)
	if err == nil && a.samples != "" {
		err = writeTable(p.ctx, a.samples, frame.WriteCSV, parquet.Write, frame.Samples(r))
	}
	if err == nil && a.trace != "" {
		err = writeTable(p.ctx, a.trace, frame.WriteCSV, parquet.Write, frame.Trace(r))
	}
	if err != nil {
		return err
	}
	return f.printTable(p.stdout, facts{{"model", "model", r.Spec.Name}, {"samples", "samples", r.Samples.Len()}, {"episodes", "episodes", len(r.Trace)}})
}

func extension(file string) string { return strings.ToLower(filepath.Ext(file)) }

// checkTable returns an error where a flag names a file that no table is written to, or which another flag names.
func (f *flags) checkTable(flag, file string, kind fileKind, others map[string]string) error {
	if e := extension(file); !f.given[flag] {
		return nil
	} else if e != ".csv" && e != ".parquet" {
		return misuse("%q is no name of a table, want one that ends in .csv or .parquet", file)
	}
	for other, name := range others {
		if sameFile(file, name) {
			return misuse("--%s and --%s name the same file", flag, other)
		}
	}
	return f.checkTarget(flag, file, kind)
}

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

var convertVerb = newVerb[convertArgs]("convert", "write an environment, or a model file, for other programs",
	"(--env NAME [--set KEY=VALUE]… [--samples N] [--seed N] | --model FILE [--property TEXT]) --out FILE [--force] [--json]",
	"convert --env rocksample --out rocksample.pomdpx",
	"convert --model data/tiger.pomdp --out tiger.pomdpx",
	"convert --model data/maze.pomdp --out maze.drn")

// convertArgs are the flags of convert.
type convertArgs struct {
	env  environment
	out  string
	seed uint64
}

func (a *convertArgs) flags(f *flags) {
	f.section("problem")
	a.env.flags(f, "")
	f.value("seed", "N", "seed of the latents that --samples draws (default 0)", unsigned(&a.seed))
	a.env.fileFlag(f)
	f.outFlag("where to write the model, .pomdp, .pomdpx or Storm's .drn or .umb", &a.out)
}

// modelKind is a model in one of the formats.
var modelKind = fileKind{"a model", func(f *os.File) bool {
	return isModelText(f) || explicit.IsUMB(io.NewSectionReader(f, 0, math.MaxInt64))
}}

var isModelText = begins(`^\s*(<\?xml[^>]*>\s*)?<pomdpx\b|^(\s*#[^\n]*\n)*\s*(discount|values|states|actions|observations)\s*:|^(\s*//[^\n]*\n)*\s*@type\s*:`)

// convert is the verb convert.
func (a *convertArgs) run(p program, f *flags) error {
	write, known := map[string]func(io.Writer, *pomdp.Model) error{".pomdp": pomdpfile.WritePOMDP, ".pomdpx": pomdpfile.WritePOMDPX, ".drn": nil, ".umb": nil}[extension(a.out)]
	if err := cmp.Or(
		need(f.given["model"] != f.given["env"], "give one of --env and --model"),
		need(f.given["out"], "--out is missing"),
		need(known, "%q is no name of a model file, want one that ends in .pomdp, .pomdpx, .drn or .umb", a.out),
		need(!f.given["model"] || !sameFile(a.env.file, a.out), "--model and --out name the same file"),
		f.excludes("model", "set", "samples", "seed"), f.checkTarget("out", a.out, modelKind)); err != nil {
		return err
	}
	m, err := a.read(p.ctx)
	if err != nil {
		return interrupted(err)
	}
	p.note(m)
	if write == nil {
		return a.writeExplicit(p, f, m)
	}
	if m.MustEnd {
		p.say("warning: a " + extension(a.out) + " file cannot say that the goal is to be reached with probability 1: in it, a policy that waits without end where nothing is paid is worth what it was paid")
	}
	if err := store.WriteFile(a.out, store.Content(func(w io.Writer) error { return write(untilEnd{p.ctx, w}, m) })); err != nil {
		return interrupted(err)
	}
	// The values of the part of the state that is seen, and of that which is hidden.
	return f.printTable(p.stdout, facts{{"model", "model", m.Name}, {"visible", "", m.NumVisible()}, {"hidden", "", m.NumHidden()},
		{"", "states", fmt.Sprintf("%d visible, %d hidden", m.NumVisible(), m.NumHidden())},
		{"actions", "actions", len(m.Actions)}, {"observations", "observations", len(m.Observations)}})
}

// writeExplicit writes a model as model checkers know it, and says what to ask of it.
func (a *convertArgs) writeExplicit(p program, f *flags, m *pomdp.Model) error {
	x, property, warnings, err := explicit.FromPOMDP(p.ctx, m)
	if err == nil {
		write := x.Write
		if extension(a.out) == ".umb" {
			write = x.WriteUMB
		}
		err = store.WriteFile(a.out, store.Content(func(w io.Writer) error { return write(untilEnd{p.ctx, w}) }))
	}
	if err != nil {
		return interrupted(err)
	}
	for _, w := range warnings {
		p.say(w)
	}
	return f.printTable(p.stdout, facts{{"model", "model", m.Name}, {"states", "states", x.States()}, {"actions", "actions", len(x.Actions)},
		{"observations", "observations", x.Observations()}, {"property", "property", property.String()}})
}

// read returns the model.
func (a *convertArgs) read(ctx context.Context) (*pomdp.Model, error) {
	if a.env.file != "" {
		return problem.ReadModel(ctx, a.env.file, a.env.property)
	}
	m, err := a.env.model(ctx, a.seed)
	if err != nil {
		return nil, err
	}
	if err := solverkit.NeedsNumbered(m, "convert"); err != nil {
		return nil, err
	}
	f, _ := bcpace.AsFinite(m)
	return pomdp.FromBAMDP(ctx, f)
}

var storeVerb = newVerb[storeArgs]("store", "list the results that notebooks keep, and make room",
	"[--dir DIR] [--keep MB] [--json]",
	"store",
	"store --keep 500")

// storeArgs are the flags of store.
type storeArgs struct {
	dir  string
	keep int
}

func (a *storeArgs) flags(f *flags) {
	f.section("store")
	f.value("dir", "DIR", "folder of the store (default: the one that notebooks use here)", text(&a.dir))
	f.value("keep", "MB", "remove what is of no use, and the oldest results until so many megabytes are left", whole(&a.keep))
	f.output()
}

// listStore is the verb store.
func (a *storeArgs) run(p program, f *flags) error {
	if a.keep < 0 {
		return misuse("--keep is %d, want a number of megabytes, 0 or more", a.keep)
	}
	if !f.given["dir"] {
		var err error
		if a.dir, err = store.Folder(); err != nil {
			return err
		}
	}
	if _, err := os.Stat(a.dir); err != nil {
		return fmt.Errorf("no store: %w", disk.Unreadable(a.dir, err))
	}
	s, err := store.Open(a.dir)
	if err != nil {
		return err
	}
	var removed []store.Entry
	if f.given["keep"] {
		if removed, err = s.Collect(int64(a.keep) << 20); err != nil {
			return err
		}
	}
	all, err := s.List()
	if err != nil {
		return err
	}
	bytes, files := int64(0), append([]facts{}, each(all, storeFile)...)
	for _, e := range all {
		bytes += e.Size
	}
	list := facts{{"dir", "", a.dir}, {"bytes", "", bytes}, {"removed", "", len(removed)}, {"files", "", files}}
	return f.printText(p.stdout, list, func(w io.Writer) {
		table(w, columns(files, "kind", "bytes", "model", "samples", "episodes", "stop", "file"))
		fmt.Fprintf(w, "%d files, %d bytes, %d removed, in %s\n", len(files), bytes, len(removed), a.dir)
	})
}

// storeFile is a row of the verb store. A change of a key or meaning breaks what reads the JSON.
func storeFile(e store.Entry) facts {
	run, fault := cmp.Or(e.Run, &runs.Info{}), ""
	if e.Err != nil {
		fault = e.Err.Error()
	}
	return facts{{"name", "", e.Name}, {"kind", "kind", string(e.Kind)}, {"bytes", "bytes", e.Size}, {"model", "model", run.Model},
		{"samples", "samples", run.Samples}, {"episodes", "episodes", run.Episodes}, {"stop", "", string(run.Stop)}, {"error", "", fault},
		{"", "stop", oneLine(cmp.Or(fault, string(run.Stop)))}, {"", "file", e.Name}}
}
