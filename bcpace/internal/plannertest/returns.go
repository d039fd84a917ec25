package plannertest

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

// EarnsTheOptimum tests that a planner earns in so many episodes of Tiger, which ends after a
// door here, so that an episode is short, what is optimal, 3.77 by dynamic programming: to within
// five standard errors, which are missed with probability 6·10⁻⁷, and 0.5 for the finite budget.
func EarnsTheOptimum(t *testing.T, s bcpace.Solver, episodes int) {
	t.Helper()
	m := envs.Tiger{Ends: true}
	best, err := eval.Optimal(t.Context(), m, eval.ExactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found, _ := Solve(t, s, m)
	r, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: episodes, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Mean < best.Value-5*r.StdErr-0.5 || r.Mean > best.Value+5*r.StdErr {
		t.Errorf("mean %v ± %v, want %v", r.Mean, r.StdErr, best.Value)
	}
}

// AssumesItsBounds tests a planner between bounds where states are not numbered: the bounds are
// assumed, and in so many episodes the policy walks to the light and away from the tiger.
func AssumesItsBounds(t *testing.T, s bcpace.Solver, episodes int) {
	t.Helper()
	m := envs.LightDarkTiger{Sigma: 0.01, Nodes: 2, StartAt: []float64{1, 2}}
	found, _ := Solve(t, s, m)
	if c := found.Certificate; c.Kind != bcpace.NoCertificate || c.UpperBy != bcpace.ByAssumption || c.Assumes == "" {
		t.Errorf("certificate %+v, want one by assumption", c)
	}
	r, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: episodes, Horizon: 30})
	if err != nil {
		t.Fatal(err)
	}
	if r.Mean < 5 {
		t.Errorf("mean return %v, want 5 or more", r.Mean)
	}
}
