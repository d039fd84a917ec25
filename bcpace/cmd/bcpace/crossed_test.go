package main

import (
	"strings"
	"testing"
)

// Bounds that cross by rounding change places; others are an error, and nothing is
// printed.
func TestCrossedBoundsAreNotPrinted(t *testing.T) {
	for upper, want := range map[number]string{48.24: "exceeds its upper bound 48.24", 117.5 - 1e-10: ""} {
		var out strings.Builder
		s := &solution{result: result{Algorithm: "sarsop", Model: "tiger", Lower: 117.5, Upper: upper}}
		err := s.report(program{stdout: &out}, "", true)
		if want == "" && (err != nil || s.Lower > s.Upper) || want != "" && (err == nil || !strings.Contains(err.Error(), want) || out.Len() > 0) {
			t.Errorf("[117.5, %v]: %v, printed %q", upper, err, out.String())
		}
	}
}
