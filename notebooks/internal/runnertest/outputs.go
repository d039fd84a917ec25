package runnertest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"bayescpace/notebooks/internal/runner"
)

// Outputs executes the cells of the notebooks with these numbers, below the second one,
// without a kernel: they give what is committed, and the page that is exported of them can be
// read by everybody. Cells with the tag long are only compiled. Runs come from the store where
// a notebook or a test has left them, under a key of the code, the model and the options. "go
// run ./notebooks check" executes all cells and uses no store, and "go run ./notebooks run all"
// executes all of them in the real kernel.
func Outputs(t *testing.T, from, below string) {
	s := Kernel(t, "")
	paths, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range paths {
		if name := runner.Title(path); name >= from && name < below {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		t.Fatalf("there are no notebooks from %s on and below %s", from, below)
	}
	reports := make(map[string]string)
	var executed []*runner.Notebook
	err = s.ExecuteLinked(t.Context(), names, runner.Options{Timeout: runner.DefaultTimeout, SkipLong: true}, func(e runner.Executed, took time.Duration) error {
		t.Logf("%s: %.1f s", runner.Title(e.Path), took.Seconds())
		report, err := s.Check(e)
		reports[runner.Title(e.Path)] = report
		if e.Notebook != nil {
			executed = append(executed, e.Notebook)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			if report, ok := reports[name]; !ok {
				t.Error("was not executed")
			} else if report != "" {
				t.Error("\n" + report)
			}
		})
	}
	t.Run("page", func(t *testing.T) { checkPage(t, s, runner.Join(executed...)) })
}

var (
	imgTag     = regexp.MustCompile(`<img [^>]*>`)
	described  = regexp.MustCompile(`\salt="[^"]+"`)
	unrendered = regexp.MustCompile(`<code>\\[A-Za-z][^<]*</code>`)
)

// checkPage exports a notebook, and tells of pictures without a description and of formulas
// that the export could not turn into MathML.
func checkPage(t *testing.T, s *runner.Session, nb *runner.Notebook) {
	t.Helper()
	from := filepath.Join(t.TempDir(), "all.ipynb")
	to := filepath.Join(t.TempDir(), "all.html")
	if err := nb.Write(from); err != nil {
		t.Fatal(err)
	}
	if err := s.Export(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	pictures := imgTag.FindAll(page, -1)
	if len(pictures) == 0 {
		t.Error("the page has no picture")
	}
	for _, m := range pictures {
		if !described.Match(m) {
			t.Errorf("a picture has no description: %.80s", m)
		}
	}
	for _, m := range unrendered.FindAll(page, -1) {
		t.Errorf("a formula is left as it was: %s", m)
	}
}
