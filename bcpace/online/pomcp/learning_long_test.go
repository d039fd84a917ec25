//go:build long

package pomcp

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

// Under the sparse prior too, an agent in Double-loop finds the loop that pays more. The loop that
// pays less is soon known so well that only what a simulation would learn speaks for leaving it:
// 80 in 400 steps, of 160 at most. The mean of six trials with fixed seeds is held.
func TestLearnsDoubleLoopUnderTheSparsePrior(t *testing.T) {
	m, err := envs.DoubleLoop{Sparse: true}.Model()
	if err != nil {
		t.Fatal(err)
	}
	sol, err := Solver{Budget: bcpace.Budget{Simulations: 1000}, Exploration: 1}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := eval.Rollouts(t.Context(), m, sol.Policy, eval.Options{Episodes: 6, Horizon: 400, Seed: 1, Undiscounted: true})
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.0
	for _, x := range r.Returns {
		mean += x / float64(len(r.Returns))
	}
	if t.Logf("returns %v", r.Returns); mean < 130 {
		t.Errorf("trials earned %v, with mean %v", r.Returns, mean)
	}
}
