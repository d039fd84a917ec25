package solvertest

import (
	"context"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/choose"
)

// TestLargeFirst: on a large model the first policy is that of certainty equivalence, and it is
// kept where the set-up of what comes next is interrupted.
//
//test:race
func TestLargeFirst(t *testing.T) {
	m := sparseModel(sparseOptions{States: 16_384, Latents: 2, Actions: 2, Discount: 0.9})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	x, err := choose.Solve(ctx, m, bcpace.Control{Progress: func(p bcpace.Progress) {
		if strings.HasPrefix(p.Phase, "trying certified: ") {
			stop()
		}
	}}, choose.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Tried) != 2 || !x.Tried[0].Chosen || x.Tried[0].Name != "certainty-equivalent" || x.InSetUp || !x.Tried[1].Solution.InSetUp {
		t.Errorf("tried %+v", x.Tried)
	}
}
