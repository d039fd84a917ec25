//go:build unix

// Package outputs compares what the cells of all notebooks give with what is committed.
package outputs

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"bayescpace/notebooks/internal/runner"
	"bayescpace/notebooks/internal/runnertest"
)

// The cells of every notebook, executed without a kernel, give what is committed, and the page
// that is exported of them can be read by everybody. Runs come from the store where a notebook
// or a test has left them, under a key of the code, the model and the options. "go run
// ./notebooks check" uses no store, and "go run ./notebooks run all" does the same in the real
// kernel.
func TestNotebooks(t *testing.T) {
	s := runnertest.Kernel(t, "")
	paths, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Fatal("there are no notebooks, want those of the README")
	}
	reports := make(map[string]string)
	var executed []*runner.Notebook
	err = s.ExecuteLinked(t.Context(), nil, runner.Options{Timeout: runner.DefaultTimeout}, func(e runner.Executed, took time.Duration) error {
		t.Logf("%s: %.1f s", runner.Title(e.Path), took.Seconds())
		report, err := s.Check(e)
		reports[e.Path] = report
		if e.Notebook != nil {
			executed = append(executed, e.Notebook)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		t.Run(runner.Title(path), func(t *testing.T) {
			if report, ok := reports[path]; !ok {
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
