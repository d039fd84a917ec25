package cmd

import (
	"io"

	"bayescpace/bcpace/sweep"
)

var sweepExportVerb = verb{
	name: "sweep export", doc: "write the rows of a sweep as a table, done or not",
	usage: "FILE --out FILE [--folder DIR] [--force] [--json]",
	examples: []string{
		"sweep export neighbours.json --out rows.csv",
		"sweep export neighbours.json --out rows.parquet --folder /shared/neighbours",
	},
	flags: func() *flags { return new(sweepExportArgs).flags() },
	run:   sweepExport,
}

// exportedRows is the JSON of the verb sweep export. A change of a name or meaning breaks what
// reads it.
type exportedRows struct {
	Name string `json:"name"`
	Key  string `json:"key"`
	counts
	Out string `json:"out"`
}

// sweepExportArgs are the flags of sweep export.
type sweepExportArgs struct {
	sweepFlags
	out         string
	force, json bool
}

func (a *sweepExportArgs) flags() *flags {
	f := newFlags()
	a.sweepFlags.flags(f)
	f.section("output")
	f.value("out", "FILE", "write a row for each trial to a .csv, .parquet or .json file; one that is not done has no result", text(&a.out))
	forceFlag(f, &a.force)
	jsonFlag(f, &a.json)
	return f
}

// sweepExport is the verb sweep export.
func sweepExport(p program, args []string) error {
	var a sweepExportArgs
	f := a.flags()
	if err := f.parse(args); err != nil {
		return err
	}
	switch {
	case !f.given[sweepArg]:
		return misuse("FILE is missing, the sweep whose rows to write")
	case !f.given["out"]:
		return misuse("--out is missing")
	}
	if err := checkRows(a.out, a.force); err != nil {
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
	if err := writeRows(p.ctx, a.out, r); err != nil {
		return err
	}
	return exportedRows{Name: sweepName(s, a.file), Key: sweepKey(r), counts: countsOf(r), Out: a.out}.print(p.stdout, a.json)
}

// print writes what was exported as JSON or as a table.
func (e exportedRows) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return writeJSON(w, e)
	}
	return printTable(w, func(row func(...any)) {
		row("trials", e.Trials)
		row("done", e.Done)
		row("failed", e.Failed)
		row("rows", e.Out)
	})
}
