package robust_test

import (
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/robust"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// TestOneStep: games of many policies and latents whose payoffs are few whole numbers, where linear programs meet what is nearly singular.
func TestOneStep(t *testing.T) {
	for seed := range uint64(24) {
		rng := rand.New(rand.NewPCG(seed, 3))
		latents, actions := 16+int(seed%2)*4, 12
		tab := bcpace.Tables{Discount: 1, Horizon: 1}
		for range latents {
			var moves [][][]float64
			var r [][]float64
			for range actions {
				moves, r = append(moves, [][]float64{{1}}), append(r, []float64{float64(rng.IntN(4))})
			}
			tab.P, tab.R = append(tab.P, moves), append(tab.R, r)
		}
		m, err := bcpace.FromTables(tab)
		if err != nil {
			t.Fatal(err)
		}
		set := robust.PriorSet{Kind: robust.L1, Radius: 0.7}
		if seed%3 == 0 {
			set = robust.PriorSet{Kind: robust.Box, Radius: 0.1}
		}
		found, err := robust.Solver{Set: set, Epsilon: 0.05}.Solve(t.Context(), m, bcpace.Control{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if c := found.Certificate; c.Lower > c.Upper || found.Stop != stop.Certified {
			t.Errorf("seed %d, %v: [%v, %v], %s", seed, set, c.Lower, c.Upper, found.Stop)
		}
	}
}

// TestActsAlone: without Begin and Observe, the policy acts at the belief that it is given.
func TestActsAlone(t *testing.T) {
	found, err := robust.Solver{Epsilon: 0.1}.Solve(t.Context(), envs.Tiger{}, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for want, b := range map[int]bcpace.Belief{0: {0.5, 0.5}, 1: {0.01, 0.99}, 2: {0.99, 0.01}} {
		for range 3 {
			if a := found.Policy.Act([]float64{0}, b, rng); a != want {
				t.Errorf("at %v: action %d, want %d", b, a, want)
			}
		}
	}
}
