package runnertest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"bayescpace/notebooks/internal/runner"
)

// Outputs executes every notebook of a part, numbered from 1, in the real kernel,
// compares its outputs with the committed ones and looks at its page. One that "go
// run ./notebooks run" has executed, of the same sources as there are now, is not
// executed again. Runs come from the store where that command or a test has left
// them, under a key of the code, the model and the options. "go run ./notebooks
// check" executes all and uses no store.
func Outputs(t *testing.T, part, parts int) {
	s := Kernel(t, "")
	paths, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	var names, left []string
	reports := make(map[string]string)
	for i, path := range paths {
		if i%parts != part-1 {
			continue
		}
		name := runner.Title(path)
		names = append(names, name)
		e, page, ok := s.LastExecuted(path)
		if !ok {
			left = append(left, name)
			continue
		}
		t.Logf("%s: as go run ./notebooks run has executed it", name)
		if reports[name], err = s.Check(e); err != nil {
			t.Fatal(err)
		}
		checkPage(t, page)
	}
	if len(names) == 0 {
		t.Fatal("there are no notebooks, want those of the README")
	}
	if len(left) > 0 {
		execute(t, s, left, reports)
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
}

// execute executes notebooks, looks at their pages and adds what is wrong with their
// outputs to reports, "" where nothing is.
func execute(t *testing.T, s *runner.Session, names []string, reports map[string]string) {
	t.Helper()
	out := t.TempDir()
	err := s.ExecuteAll(t.Context(), names, runner.Options{Timeout: runner.DefaultTimeout}, func(d *runner.Driver, e runner.Executed, took time.Duration) error {
		name := runner.Title(e.Path)
		t.Logf("%s: %.1f s", name, took.Seconds())
		report, err := s.Check(e)
		if reports[name] = report; err != nil || e.Notebook == nil {
			return err
		}
		to := filepath.Join(out, name)
		if err := e.Notebook.Write(to + ".ipynb"); err != nil {
			return err
		}
		if err := d.Export(t.Context(), to+".ipynb", to+".html"); err != nil {
			return err
		}
		checkPage(t, to+".html")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

var (
	imgTag     = regexp.MustCompile(`<img [^>]*>`)
	described  = regexp.MustCompile(`\salt="[^"]+"`)
	unrendered = regexp.MustCompile(`<code>\\[A-Za-z][^<]*</code>`)
)

// checkPage tells of pictures without a description and of formulas that the
// export could not turn into MathML.
func checkPage(t *testing.T, path string) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range imgTag.FindAll(page, -1) {
		if !described.Match(m) {
			t.Errorf("%s: a picture has no description: %.80s", runner.Title(path), m)
		}
	}
	for _, m := range unrendered.FindAll(page, -1) {
		t.Errorf("%s: a formula is left as it was: %s", runner.Title(path), m)
	}
}
