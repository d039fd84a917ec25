package sarsop_test

import (
	"fmt"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/pomdpfile"
)

// TestFirstTrials: a trial at most doubles the beliefs, or adds 64, also where thousands of steps lie ahead, and the search
// reaches the end all the same. The model is a line of which nothing is seen: each step leads to a new belief, and the prize
// waits at the end for who stops there.
func TestFirstTrials(t *testing.T) {
	const n = 300
	var text strings.Builder
	fmt.Fprintf(&text, "discount: 0.999\nvalues: reward\nstates: %d\nactions: go stop\nobservations: none\nstart: 0\nT: stop identity\nO: * uniform\nR: stop : * : * : * -1\nR: stop : %d : * : * 1\n", n, n-1)
	for s := range n - 1 {
		fmt.Fprintf(&text, "T: go : %d : %d 0.5\nT: go : %d : %d 0.5\n", s, s, s, s+1)
	}
	fmt.Fprintf(&text, "T: go : %d : %d 1\n", n-1, n-1)
	m, err := pomdpfile.ReadPOMDP(t.Context(), strings.NewReader(text.String()), "line")
	if err != nil {
		t.Fatal(err)
	}
	trials, beliefs, most := 0, 1, 0
	found, err := sarsop.Solver{MaxTrials: 30}.SolvePOMDP(t.Context(), m, bcpace.Control{Progress: func(p bcpace.Progress) {
		if p.Phase != "" || p.Episodes == trials {
			return
		}
		if limit := beliefs + max(beliefs, 64); p.Samples > limit {
			t.Errorf("trial %d leads from %d to %d beliefs, want %d at most", p.Episodes, beliefs, p.Samples, limit)
		}
		trials, beliefs, most = p.Episodes, p.Samples, max(most, p.Samples-beliefs)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if most < 64 {
		t.Errorf("no trial is longer than %d beliefs, which tests nothing", most)
	}
	if found.Certificate.Lower < 0.8*found.Certificate.Upper {
		t.Errorf("the bounds are [%v, %v], want them close", found.Certificate.Lower, found.Certificate.Upper)
	}
}
