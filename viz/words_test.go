package viz

import (
	"testing"

	"bayescpace/bcpace/solvers"
)

// A figure calls no solver by its name in code.
func TestSolversHaveWrittenNames(t *testing.T) {
	for _, s := range solvers.List() {
		if written[s.Name] == "" {
			t.Errorf("solver %q has no name for figures, want one in written", s.Name)
		}
	}
}
