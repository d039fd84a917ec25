package pomdpfile

import (
	"strings"
	"testing"
)

// TestConventions: what a .pomdp file leaves out or says twice is read as its format has it.
func TestConventions(t *testing.T) {
	const model = "discount: 0.9\nvalues: reward\nstates: 4\nactions: stay go\nobservations: 1\nT: * identity\nO: * uniform\n"
	for rewards, want := range map[string]float64{
		"R: * : * : * : * 1\nR: go : 2 : * : * 5\n": 5, // the last line that covers a step holds
		"R: go : 2 : * : * 5\nR: * : * : * : * 1\n": 1,
		"R: go : 2 : * : * 5\n":                     5,
		"R: stay : 2 : * : * 5\n":                   0,
	} {
		m, err := Read(t.Context(), strings.NewReader(model+rewards), "four.pomdp")
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Reward[1][2]; got != want {
			t.Errorf("%q pays %v, want %v", rewards, got, want)
		}
		if len(m.Start) != 4 || m.Start[3].Value != 0.25 {
			t.Errorf("without a line of the start, it is %v, want all four states", m.Start)
		}
	}
}
