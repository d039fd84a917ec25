//go:build long

package pomcp

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

// Under either prior, an agent in Double-loop finds the loop that pays more, with the default of c. The
// loop that pays less is soon known so well that only what a simulation would learn speaks for leaving
// it: 80 in 400 steps, of 160 at most. The mean of six trials with fixed seeds is held.
func TestLearnsDoubleLoopUnderBothPriors(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		m, err := envs.DoubleLoop{Sparse: sparse}.Model()
		if err != nil {
			t.Fatal(err)
		}
		sol, err := Solver{Budget: bcpace.Budget{Simulations: 1000}}.Solve(t.Context(), m, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := eval.Rollouts(t.Context(), m, sol.Policy, eval.Options{Episodes: 6, Horizon: 400, Seed: 1, Undiscounted: true})
		if err != nil {
			t.Fatal(err)
		}
		if t.Logf("sparse %v: returns %v", sparse, r.Returns); r.Mean < 140 {
			t.Errorf("sparse %v: trials earned %v, with mean %v", sparse, r.Returns, r.Mean)
		}
	}
}
