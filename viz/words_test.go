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
