package cmd

import (
	"context"
	"fmt"
	"path/filepath"

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

// counts of a sweep's trials, for its JSON.
type counts struct {
	Trials int `json:"trials"`
	// Done have a result, which is a fault for those Failed. Left have none.
	Done   int `json:"done"`
	Failed int `json:"failed"`
	Left   int `json:"left"`
}

func countsOf(r *sweep.Results) (c counts) {
	c.Trials, c.Failed = len(r.Rows), len(r.Failed())
	c.Done = c.Failed
	for i := range r.Rows {
		if r.Rows[i].Computed() {
			c.Done++
		}
	}
	c.Left = c.Trials - c.Done
	return c
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
	if err := checkRowsName(out, "out"); err != nil {
		return err
	}
	return f.checkTarget("out", out, rowsKinds...)
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
