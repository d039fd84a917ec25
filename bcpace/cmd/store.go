package cmd

import (
	"fmt"
	"io"
	"os"

	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/store"
)

var storeVerb = verb{
	name: "store", doc: "list the results that notebooks keep, and make room",
	usage: "[--dir DIR] [--keep MB] [--json]",
	examples: []string{
		"store",
		"store --keep 500",
	},
	args: func() arguments { return new(storeArgs) },
}

// storeList is the JSON of the verb store. A change of a name or meaning breaks
// what reads it.
type storeList struct {
	Dir     string      `json:"dir"`
	Bytes   int64       `json:"bytes"`
	Removed int         `json:"removed"`
	Files   []storeFile `json:"files"`
}

type storeFile struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Bytes    int64  `json:"bytes"`
	Model    string `json:"model"`
	Samples  int    `json:"samples"`
	Episodes int    `json:"episodes"`
	Stop     string `json:"stop"`
	Error    string `json:"error"`
}

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
	l := storeList{Dir: a.dir, Files: []storeFile{}}
	if _, err := os.Stat(a.dir); err != nil {
		return fmt.Errorf("no store: %w", disk.Unreadable(a.dir, err))
	}
	s, err := store.Open(a.dir)
	if err != nil {
		return err
	}
	if f.given["keep"] {
		removed, err := s.Collect(int64(a.keep) << 20)
		if err != nil {
			return err
		}
		l.Removed = len(removed)
	}
	all, err := s.List()
	if err != nil {
		return err
	}
	for _, e := range all {
		file := storeFile{Name: e.Name, Kind: string(e.Kind), Bytes: e.Size}
		if e.Run != nil {
			file.Model, file.Samples, file.Episodes, file.Stop = e.Run.Model, e.Run.Samples, e.Run.Episodes, string(e.Run.Stop)
		}
		if e.Err != nil {
			file.Error = e.Err.Error()
		}
		l.Files = append(l.Files, file)
		l.Bytes += e.Size
	}
	return f.printText(p.stdout, l, l.people)
}

// people writes the list for people.
func (l storeList) people(w io.Writer) {
	table(w, func(row func(...any)) {
		row("kind", "bytes", "model", "samples", "episodes", "stop", "file")
		for _, f := range l.Files {
			stop := f.Stop
			if f.Error != "" {
				stop = oneLine(f.Error)
			}
			row(f.Kind, f.Bytes, f.Model, f.Samples, f.Episodes, stop, f.Name)
		}
	})
	fmt.Fprintf(w, "%d files, %d bytes, %d removed, in %s\n", len(l.Files), l.Bytes, l.Removed, l.Dir)
}
