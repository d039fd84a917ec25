package cmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"bayescpace/bcpace/frame"
	"bayescpace/bcpace/frame/parquet"
	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/store"
	"bayescpace/bcpace/sweep"
)

// sweepArg is the argument of the verbs about a sweep, and sweepDoc what it is.
const (
	sweepArg = "FILE"
	sweepDoc = "a sweep as JSON: base, what its trials share; list, grid and design, what changes from one to the next; seeds (go doc bayescpace/bcpace/sweep Spec)"
)

// sweepFlags are what the verbs about a sweep and its results have in common.
type sweepFlags struct {
	file, folder string
}

func (a *sweepFlags) flags(f *flags) {
	f.argument(sweepArg, sweepDoc, text(&a.file))
	f.section("results")
	f.value("folder", "DIR", "folder that keeps results, for this sweep and the next (default: a part of the store that notebooks use here)", text(&a.folder))
}

// read returns the sweep, and sets the folder if it is not given.
func (a *sweepFlags) read() (s sweep.Spec, err error) {
	if a.folder == "" {
		if a.folder, err = sweep.Folder(); err != nil {
			return s, err
		}
	}
	file, err := disk.Open(a.file)
	if err != nil {
		return s, err
	}
	defer file.Close()
	s, err = sweep.Read(file, a.file)
	s.Folder = filepath.Dir(a.file)
	return s, err
}

// sweepKey stands for the trials of a sweep and the version of the code that computes them.
func sweepKey(r *sweep.Results) string {
	h := sha256.New()
	for _, row := range r.Rows {
		io.WriteString(h, row.Key)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// doneOf counts the trials that have a result, which is a fault for some.
func doneOf(r *sweep.Results) int { return len(r.Failed()) + count(r, (*sweep.TrialRow).Computed) }

// count counts the rows that are as is says.
func count(r *sweep.Results, is func(*sweep.TrialRow) bool) (n int) {
	for i := range r.Rows {
		if is(&r.Rows[i]) {
			n++
		}
	}
	return n
}

// countsOf counts a sweep's trials: those left have no result, and those failed are among the done.
func countsOf(r *sweep.Results) facts {
	done := doneOf(r)
	return facts{{"trials", "trials", len(r.Rows)}, {"done", "done", done}, {"failed", "failed", len(r.Failed())}, {"left", "", len(r.Rows) - done}}
}

// allFailed returns an error if there are trials and all have failed.
func allFailed(r *sweep.Results) error {
	if failed := r.Failed(); len(failed) > 0 && len(failed) == len(r.Rows) {
		return fmt.Errorf("all %d trials failed, such as trial %d: %s", len(failed), failed[0].Number, failed[0].Fault)
	}
	return nil
}

// rowsKinds are the kinds of file that rows are written to.
var rowsKinds = []fileKind{{"a table of a sweep", hasColumns("trial")}, {"the JSON of a sweep's rows", begins(`^\{"name":"[^\n]*","keys":`)}}

// checkRows returns an error for a file that rows cannot be written to.
func (f *flags) checkRows(out string) error {
	return cmp.Or(checkRowsName(out, "out"), f.checkTarget("out", out, rowsKinds...))
}

// checkRowsName returns a *usageError for a name, which a flag gives, that no rows are written to.
func checkRowsName(name, flag string) error {
	switch extension(name) {
	case ".csv", ".parquet", ".json":
		return nil
	}
	return misuse("--%s is %q, want a name that ends in .csv, .parquet or .json", flag, name)
}

// writeRows writes the rows in the format that the file's name asks for.
func writeRows(ctx context.Context, out string, r *sweep.Results) error {
	if extension(out) != ".json" {
		return writeTable(ctx, out, frame.WriteCSV, parquet.Write, frame.Of(r.Columns()))
	}
	if err := store.WriteFile(out, store.Content(r.WriteJSON)); err != nil {
		return fmt.Errorf("writing the rows: %w", err)
	}
	return nil
}

var sweepMergeVerb = newVerb[sweepMergeArgs]("sweep merge", "write the rows of a sweep whose shards were computed apart",
	"DIR… --out FILE [--partial] [--key KEY] [--force] [--json]",
	"sweep merge /shared/neighbours --out rows.parquet",
	"sweep merge here there --out rows.csv --partial")

// sweepMergeArgs are the flags of sweep merge.
type sweepMergeArgs struct {
	folders  []string
	out, key string
	partial  bool
}

func (a *sweepMergeArgs) flags(f *flags) {
	f.arguments("DIR", "folders of results that sweep run --shard has made: that of all shards, or one of each", &a.folders)
	f.section("output")
	f.value("out", "FILE", "write a row for each trial to a .csv, .parquet or .json file", text(&a.out))
	f.toggle("partial", "write the rows though trials are missing; those have no result", boolean(&a.partial))
	f.value("key", "KEY", "the sweep's key, or how it begins, where the folders have shards of several", text(&a.key))
	f.forceFlag()
	f.jsonFlag()
}

// sweepMerge is the verb sweep merge.
func (a *sweepMergeArgs) run(p program, f *flags) error {
	if err := cmp.Or(f.require("DIR", "out"), f.checkRows(a.out)); err != nil {
		return err
	}
	m, err := sweep.Merge(p.ctx, a.folders, a.key)
	if err != nil {
		return err
	}
	if n := len(m.Missing); n > 0 && !a.partial {
		return fmt.Errorf("%d of %d trials are missing: %s; run their shards, or sweep run with the folder of one, or write the others with --partial", n, len(m.Rows), m.Ranges())
	}
	// The numbers of trials without a result, and the number of results that were there more than once.
	more := facts{{"missing", "", append([]int{}, m.Missing...)}, {"twice", "", m.Twice}}
	return cmp.Or(reportRows(p, f, m.Name, m.Key, a.out, m.Results, more), allFailed(m.Results))
}

var sweepExportVerb = newVerb[sweepExportArgs]("sweep export", "write the rows of a sweep as a table, done or not",
	"FILE --out FILE [--folder DIR] [--force] [--json]",
	"sweep export neighbours.json --out rows.csv",
	"sweep export neighbours.json --out rows.parquet --folder /shared/neighbours")

// sweepExportArgs are the flags of sweep export.
type sweepExportArgs struct {
	sweepFlags
	out string
}

func (a *sweepExportArgs) flags(f *flags) {
	a.sweepFlags.flags(f)
	f.outFlag("write a row for each trial to a .csv, .parquet or .json file; one that is not done has no result", &a.out)
}

// sweepExport is the verb sweep export.
func (a *sweepExportArgs) run(p program, f *flags) error {
	if err := cmp.Or(f.require(sweepArg, "out"), f.checkRows(a.out)); err != nil {
		return err
	}
	s, err := a.read()
	if err != nil {
		return err
	}
	r, err := sweep.Kept(p.ctx, s, a.folder)
	if err != nil {
		return err
	}
	return reportRows(p, f, sweepName(s, a.file), sweepKey(r), a.out, r, nil)
}

// reportRows writes the rows of a sweep to a file, and prints what was written and more.
func reportRows(p program, f *flags, name, key, out string, r *sweep.Results, more facts) error {
	if err := writeRows(p.ctx, out, r); err != nil {
		return err
	}
	return f.printTable(p.stdout, slices.Concat(facts{{"name", "", name}, {"key", "", key}}, countsOf(r), facts{{"out", "rows", out}}, more))
}
