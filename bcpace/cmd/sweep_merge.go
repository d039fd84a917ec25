package cmd

import (
	"cmp"
	"fmt"

	"bayescpace/bcpace/sweep"
)

var sweepMergeVerb = verb{
	name: "sweep merge", doc: "write the rows of a sweep whose shards were computed apart",
	usage: "DIR… --out FILE [--partial] [--key KEY] [--force] [--json]",
	examples: []string{
		"sweep merge /shared/neighbours --out rows.parquet",
		"sweep merge here there --out rows.csv --partial",
	},
	flags: func() *flags { return new(sweepMergeArgs).flags() },
	run:   sweepMerge,
}

// mergedRows is the JSON of the verb sweep merge. A change of a name or meaning breaks what
// reads it.
type mergedRows struct {
	exportedRows
	// Missing are the numbers of trials without a result, and Twice the number of results that were
	// there more than once.
	Missing []int `json:"missing"`
	Twice   int   `json:"twice"`
}

// sweepMergeArgs are the flags of sweep merge.
type sweepMergeArgs struct {
	folders              []string
	out, key             string
	partial, force, json bool
}

func (a *sweepMergeArgs) flags() *flags {
	f := newFlags()
	f.arguments("DIR", "folders of results that sweep run --shard has made: that of all shards, or one of each", &a.folders)
	f.section("output")
	f.value("out", "FILE", "write a row for each trial to a .csv, .parquet or .json file", text(&a.out))
	f.toggle("partial", "write the rows though trials are missing; those have no result", boolean(&a.partial))
	f.value("key", "KEY", "the sweep's key, or how it begins, where the folders have shards of several", text(&a.key))
	forceFlag(f, &a.force)
	jsonFlag(f, &a.json)
	return f
}

// sweepMerge is the verb sweep merge.
func sweepMerge(p program, args []string) error {
	var a sweepMergeArgs
	f := a.flags()
	if err := f.parse(args); err != nil {
		return err
	}
	switch {
	case len(a.folders) == 0:
		return misuse("DIR is missing, the folders of the shards")
	case !f.given["out"]:
		return misuse("--out is missing")
	}
	if err := checkRows(a.out, a.force); err != nil {
		return err
	}
	m, err := sweep.Merge(p.ctx, a.folders, a.key)
	if err != nil {
		return err
	}
	if n := len(m.Missing); n > 0 && !a.partial {
		return fmt.Errorf("%d of %d trials are missing: %s; run their shards, or sweep run with the folder of one, or write the others with --partial", n, len(m.Rows), m.Ranges())
	}
	if err := writeRows(p.ctx, a.out, m.Results); err != nil {
		return err
	}
	r := mergedRows{exportedRows{Name: m.Name, Key: m.Key, counts: countsOf(m.Results), Out: a.out}, append([]int{}, m.Missing...), m.Twice}
	if a.json {
		err = writeJSON(p.stdout, r)
	} else {
		err = r.exportedRows.print(p.stdout, false)
	}
	return cmp.Or(err, allFailed(m.Results))
}
