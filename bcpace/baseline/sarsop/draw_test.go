package sarsop_test

import (
	"fmt"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
)

// belfry is a ring of so many rooms, of which two have a door. An agent does not know in which room it is; it walks to the left or to the right,
// and a step fails with a probability. To ring the bell pays 5 in room 0 and costs 2 elsewhere.
func belfry(t *testing.T, rooms int, slip float64) *pomdp.Model {
	var b strings.Builder
	fmt.Fprintf(&b, "discount: 0.95\nvalues: reward\nstates: %d\nactions: left right ring\nobservations: wall door\nstart: uniform\n", rooms)
	fmt.Fprint(&b, "T: ring uniform\nR: ring : * : * : * -2\nR: ring : 0 : * : * 5\nO: * : * : wall 0.95\nO: * : * : door 0.05\n")
	for s := range rooms {
		for a, to := range map[string]int{"left": (s + rooms - 1) % rooms, "right": (s + 1) % rooms} {
			fmt.Fprintf(&b, "T: %[1]s : %[2]d : %[2]d %[3]v\nT: %[1]s : %[2]d : %[4]d %[5]v\n", a, s, slip, to, 1-slip)
		}
		if s == 0 || s == rooms/4 {
			fmt.Fprintf(&b, "O: * : %d\n0.05 0.95\n", s)
		}
	}
	m, err := pomdpfile.ReadPOMDP(t.Context(), strings.NewReader(b.String()), "belfry")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestDrawsFirst: a controller that rings where it sees a door and walks on otherwise earns most of the optimum, and is found before the
// first trial. Whoever does the same at every step earns nothing.
func TestDrawsFirst(t *testing.T) {
	for rooms := 5; rooms <= 7; rooms++ {
		for _, slip := range []float64{.1, .2, .3} {
			found, err := sarsop.Solver{Epsilon: .5, MaxTrials: 300}.SolvePOMDP(t.Context(), belfry(t, rooms, slip), bcpace.Control{})
			if err != nil {
				t.Fatal(err)
			}
			first := found.Trace[0]
			if lower := first.Value - first.Gap; lower < .9*found.Certificate.Lower {
				t.Errorf("%d rooms, slip %v: at least %v before the first trial, and %v at the end", rooms, slip, lower, found.Certificate.Lower)
			}
		}
	}
}
