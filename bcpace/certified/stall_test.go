package certified

import (
	"testing"

	"bayescpace/bcpace/runs"
)

// A gap stalls when it has fallen, and then stands for many steps, however few the rounds
// are; not on the plateau where a search begins, nor while it falls.
func TestStall(t *testing.T) {
	standing := func(gap float64) func(int) float64 {
		return func(round int) float64 {
			if round == 0 {
				return 10
			}
			return gap
		}
	}
	for _, c := range []struct {
		name          string
		gap           func(round int) float64
		rounds, steps int
		want          bool
	}{
		{"stands", standing(5), 300, 100, true},
		{"stands in long trials", standing(5), 4, stallSteps, true},
		{"stands for a short time", standing(5), 200, 100, false},
		{"has not begun", standing(9), 300, 100, false},
		{"falls in long trials", func(round int) float64 { return 7 - float64(round) }, 5, stallSteps, false},
		{"falls", func(round int) float64 { return 7 - float64(round)/100 }, 600, 100, false},
	} {
		var s stall
		var trace []runs.Episode
		for i := range c.rounds {
			trace = append(trace, runs.Episode{Gap: c.gap(i), Steps: c.steps})
			s.look(trace)
		}
		if s.found != c.want {
			t.Errorf("a gap that %s: stalled %v, want %v", c.name, s.found, c.want)
		}
	}
}
