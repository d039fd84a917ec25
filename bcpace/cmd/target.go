package cmd

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/frame/parquet"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/store"
)

// fileKind is a kind of file that this program writes.
type fileKind struct {
	name string
	is   func(f *os.File) bool // judges by the beginning of a file, or its columns
}

var (
	runKind     = fileKind{"a run", begins("^bcp-run\n")}
	policyKind  = fileKind{"a policy", begins(`^\s*(<\?xml[^>]*>)?\s*<Policy\b`)}
	samplesKind = fileKind{"a table of samples", hasColumns("episode", "time")}
	traceKind   = fileKind{"a table of a trace", hasColumns("episode", "return")}
	figureKind  = fileKind{"a figure", begins(`^(.PNG\r\n|%PDF-|<\?xml[^>]*>\s*<svg\b|<svg\b)`)}
	courseKind  = fileKind{"a table of a search", hasColumns(searchColumns[:2]...)}
)

// searchColumns are those of the table of a search.
var searchColumns = []string{"seconds", "episodes", "samples", "steps", "value", "lower", "upper"}

// begins returns a judge of a file's first bytes.
func begins(pattern string) func(f *os.File) bool {
	p := regexp.MustCompile(pattern)
	return func(f *os.File) bool { return p.Match(headOf(f, 512)) }
}

// headOf returns the first bytes of a file, wherever it is read.
func headOf(f *os.File, most int) []byte {
	head := make([]byte, most)
	n, _ := f.ReadAt(head, 0)
	return head[:n]
}

// hasColumns returns a judge of a table's first columns.
func hasColumns(first ...string) func(f *os.File) bool {
	return func(f *os.File) bool {
		var names []string
		if extension(f.Name()) == ".parquet" {
			names, _ = parquet.Columns(f)
		} else {
			names, _ = csv.NewReader(io.NewSectionReader(f, 0, 1<<20)).Read()
		}
		return len(names) >= len(first) && slices.Equal(names[:len(first)], first)
	}
}

// outFlag adds the section of verbs that write a file and print what it holds.
func (f *flags) outFlag(doc string, out *string) {
	f.section("output")
	f.value("out", "FILE", doc, text(out))
	f.forceFlag()
	f.jsonFlag()
}

// forceFlag adds the flag with which a file of any kind is replaced.
func (f *flags) forceFlag() {
	f.toggle("force", "replace a file whatever it holds; without it only one of the same kind is replaced", boolean(&f.force))
}

// checkTarget returns an error where a flag names a file that cannot be written, or,
// without force, one that is write-protected or of a kind that is not asked for: it
// would be lost. It is meant for the time before the work. An empty file holds
// nothing that could be lost, and no name is no file.
func (f *flags) checkTarget(flag, name string, kinds ...fileKind) error {
	if name == "" {
		return nil
	}
	if err := store.CheckFile(name); err != nil || f.force {
		return err
	}
	file, err := os.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return lost(flag, name, "cannot be read")
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o222 == 0 {
		return lost(flag, name, "is write-protected")
	}
	if info.Size() == 0 || slices.ContainsFunc(kinds, func(k fileKind) bool { return k.is(file) }) {
		return nil
	}
	names := slices.Compact(each(kinds, func(k fileKind) string { return k.name })) // kinds of one name stand together
	return lost(flag, name, "is not "+strings.Join(names, " or "))
}

// lost is the error for a file, named by a flag, that would be lost.
func lost(flag, name, what string) error {
	return inputError("--"+flag, fmt.Sprintf("%q, which %s", name, what), "another name, or --force to replace the file")
}

// checkReplaced returns an error where the file holds a run or a policy, and not one that s replaces by its like for p, with other limits of an exploration
// at most: it would be lost. A nil s is for several solvers, of which none is named.
func checkReplaced(name string, p problem.Problem, s bcpace.Solver) error {
	f, err := os.Open(name)
	if err != nil {
		return nil // there is none, or checkTarget has told
	}
	defer f.Close()
	what := ""
	if runKind.is(f) {
		if what = "holds a run, not a policy"; solverkit.ObjectiveOf(s) == (bcpace.Objective{}) {
			what = p.RunDiffers(f, s)
		}
	} else {
		what = checkPolicyReplaced(f, p, s)
	}
	if what == "" {
		return nil
	}
	return lost("out", name, what)
}

// sameFile reports whether two names are one file, as far as that can be told.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
