package pomdpfile_test

import (
	"strings"
	"testing"

	"bayescpace/bcpace/pomdpfile"
)

// TestMeanRewards: whether the rewards of a state and an action differ decides, and not how a file writes them.
func TestMeanRewards(t *testing.T) {
	const head = "discount: .5\nvalues: reward\nstates: dry wet lost\nactions: wait go\nobservations: calm storm\nstart: dry\n" +
		"T: wait identity\nT: go\n0 .25 .75\n0 1 0\n0 0 1\nO: *\n.5 .5\n1 0\n.3 .7\n"
	for rewards, want := range map[string]bool{
		"R: go : dry : * : * .3":                                  false,
		"R: * : * : * : * .1":                                     false,
		"R: go : dry : wet : * .3\nR: go : dry : lost : * .3":     false,
		"R: go : dry : dry : * 9\nR: wait : dry : wet : * 9":      false, // never paid: these steps have probability 0
		"R: go : wet : wet : storm 9":                             false, // nor this: calm alone is seen
		"R: go : dry : wet : * .3":                                true,
		"R: go : dry : wet : * .3\nR: go : dry : lost : * .30001": true,
		"R: wait : dry : dry : storm 1":                           true,
		"R: go : lost : lost : calm 1e-9":                         true,
	} {
		m, err := pomdpfile.ReadPOMDP(t.Context(), strings.NewReader(head+rewards+"\n"), "weather.pomdp")
		if err != nil {
			t.Fatalf("%s: %v", rewards, err)
		}
		if m.MeanRewards != want {
			t.Errorf("%s: MeanRewards is %v, want %v", rewards, m.MeanRewards, want)
		}
	}
}
