package cmd

import (
	"strings"
	"testing"
)

// Bounds that contradict each other are an error, and nothing is printed.
func TestCrossedBoundsAreNotPrinted(t *testing.T) {
	var out strings.Builder
	s := &solution{algorithm: "sarsop", model: "tiger", lower: 117.5, upper: 48.24}
	err := s.report(program{stdout: &out}, &flags{json: true}, "")
	if err == nil || !strings.Contains(err.Error(), "exceeds its upper bound 48.24") || out.Len() > 0 {
		t.Errorf("%v, printed %q", err, out.String())
	}
}
