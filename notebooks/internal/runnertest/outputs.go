package runnertest

import (
	"testing"
	"time"

	"bayescpace/notebooks/internal/runner"
)

// Outputs executes the cells of the notebooks with these numbers, below the second one,
// without a kernel: they give what is committed. Cells with the tag long are only compiled. Runs come from the store where
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
	executed := make(map[string]bool)
	err = s.ExecuteLinked(t.Context(), names, runner.Options{Timeout: runner.DefaultTimeout, SkipLong: true}, func(e runner.Executed, took time.Duration) error {
		name := runner.Title(e.Path)
		executed[name] = true
		t.Run(name, func(t *testing.T) {
			t.Logf("%.1f s", took.Seconds())
			if report, err := s.Check(e); report != "" || err != nil {
				t.Errorf("%v\n%s", err, report)
			}
		})
		return nil
	})
	if err != nil || len(executed) < len(names) {
		t.Errorf("%d of %d notebooks were executed: %v", len(executed), len(names), err)
	}
}
