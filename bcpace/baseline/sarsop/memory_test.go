package sarsop

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/stop"
)

// TestMemory: a search that comes to the limit of memory ends there and says so. Its bounds hold, as those of a longer search show, it earns
// the lower one, and it ends at the same place each time.
func TestMemory(t *testing.T) {
	defer func(most int) { mostBytes = most }(mostBytes)
	limited := 0
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 0x6d656d))
		m := pomdptest.Random(rng, 3+int(seed%4)*3, 4, []float64{0.9, 0.9995}[seed%2])
		if seed%3 == 2 {
			m = Goal(rng, GoalKind(seed%2))
		}
		solve := func(most int) *pomdp.Solution {
			mostBytes = most
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			found, err := Solver{Epsilon: 1e-7, MaxTrials: 50, Unrevealed: true}.SolvePOMDP(ctx, m, bcpace.Control{Workers: 1})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return found
		}
		whole, cut, again := solve(1<<30), solve(120_000), solve(120_000)
		if whole.Stop == stop.Memory {
			t.Errorf("seed %d: a small model ends with %q", seed, whole.Stop)
		}
		if cut.Stop != stop.Memory {
			continue
		}
		limited++
		if cut.Value != again.Value || cut.Certificate != again.Certificate || cut.Stop != again.Stop {
			t.Errorf("seed %d: value %v, then %v", seed, cut.Value, again.Value)
		}
		slack := 1e-9 * (1 + whole.Certificate.Upper - whole.Certificate.Lower)
		if cut.Certificate.Lower > whole.Certificate.Upper+slack || cut.Certificate.Upper < whole.Certificate.Lower-slack {
			t.Errorf("seed %d: bounds %v and %v, and %v and %v without the limit", seed, cut.Certificate.Lower, cut.Certificate.Upper, whole.Certificate.Lower, whole.Certificate.Upper)
		}
		if p, ok := cut.Policy.(*pomdp.VectorPolicy); !ok {
			t.Errorf("seed %d: the policy is a %T", seed, cut.Policy)
		} else if m.Discount < 1 {
			CheckClosed(t, m.Name, m, p, rng)
		}
	}
	if limited < 4 {
		t.Errorf("the limit was met in %d of 12 models", limited)
	}
}
