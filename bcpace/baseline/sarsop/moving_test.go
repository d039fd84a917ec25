package sarsop_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/pomdp"
)

// TestMoving is checkMoving on a few hundred models.
//
//test:race
func TestMoving(t *testing.T) { checkMoving(t, 60) }

// checkMoving draws so many models whose hidden state moves unseen. For each, the bounds hold the optimal value, the
// policy earns the lower bound, and the whole result is the same bit for bit for 1 and 8 workers, wherever a limit of trials has stopped the search.
func checkMoving(t *testing.T, models int) {
	for seed, found := uint64(0), 0; found < models; seed++ {
		rng := rand.New(rand.NewPCG(seed, 37))
		m := sarsop.Game(rng)
		if seed%3 == 0 {
			m = pomdptest.Random(rng, 1+rng.IntN(2), 2+rng.IntN(3), []float64{.2, .5, .8}[rng.IntN(3)])
		}
		if !movesUnseen(m) {
			continue
		}
		found++
		s := sarsop.Solver{Epsilon: 1e-3, MaxTrials: 200}
		if rng.IntN(3) == 0 {
			s.MaxTrials = 1 + rng.IntN(10)
		}
		r, err := within(t.Context(), m, s, bcpace.Control{Workers: 1})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		checkEarned(t, fmt.Sprintf("seed %d", seed), m, r)
		other, err := within(t.Context(), m, s, bcpace.Control{Workers: 8})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !reflect.DeepEqual(r, other) {
			t.Errorf("seed %d: with 8 workers the bounds are [%v, %v], with one [%v, %v]", seed, other.Lower, other.Upper, r.Lower, r.Upper)
		}
	}
}

// movesUnseen reports whether some state and action lead to several hidden values of one visible value.
func movesUnseen(m *pomdp.Model) bool {
	for _, move := range m.Move {
		for s := range m.NumStates() {
			col, _ := move.At(s)
			for i := 1; i < len(col); i++ {
				if int(col[i])/m.NumHidden() == int(col[i-1])/m.NumHidden() {
					return true
				}
			}
		}
	}
	return false
}
