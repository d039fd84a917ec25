package pomdp_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/pomdp"
)

// TestAsHidden: the densities of the model with a hidden vector are those of its steps, with visible variables and a horizon too.
func TestAsHidden(t *testing.T) {
	for seed := range uint64(6) {
		f, err := bcpace.FromTables(pomdptest.RandomTables(rand.New(rand.NewPCG(seed, 2))))
		if err != nil {
			t.Fatal(err)
		}
		m, err := pomdp.FromBAMDP(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		h, err := pomdp.AsHidden(m)
		if err == nil {
			_, err = check.Hidden(h, check.HiddenOptions{Seed: seed, Places: 40, Draws: 200})
		}
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		m.Discount, m.Horizon = 1, 0
		if _, err := pomdp.AsHidden(m); err == nil || !strings.Contains(err.Error(), "sarsop") {
			t.Errorf("seed %d, without an end: %v", seed, err)
		}
	}
}
