package viz

import (
	"testing"

	"bayescpace/bcpace/solvers"
)

// A figure calls a solver by the name that the solver says is written.
func TestSolversHaveWrittenNames(t *testing.T) {
	for _, s := range solvers.List() {
		if got := label(s.Name, ""); got != s.Written || got == "" {
			t.Errorf("solver %q is called %q, want %q", s.Name, got, s.Written)
		}
	}
}

func TestTitled(t *testing.T) {
	for model, want := range map[string]string{"tiger": "Tiger: exploration", "": "Model: exploration", "été": "Été: exploration", "4 rooms": "4 rooms: exploration"} {
		if got := titled(model, "exploration"); got != want {
			t.Errorf("%q: %q, want %q", model, got, want)
		}
	}
}
