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
// compares its outputs with the committed ones and looks at its page. Runs come
// from the store where "go run ./notebooks run" or a test has left them, under a key
// of the code, the model and the options; "go run ./notebooks check" uses none.
func Outputs(t *testing.T, part, parts int) {
	s := Kernel(t, "")
	paths, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i, path := range paths {
		if i%parts == part-1 {
			names = append(names, runner.Title(path))
		}
	}
	if len(names) == 0 {
		t.Fatal("there are no notebooks, want those of the README")
	}
	reports := make(map[string]string)
	out := t.TempDir()
	err = s.ExecuteAll(t.Context(), names, runner.Options{Timeout: runner.DefaultTimeout}, func(d *runner.Driver, e runner.Executed, took time.Duration) error {
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
