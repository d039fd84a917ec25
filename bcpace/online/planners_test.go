package online_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/online/adaops"
	"bayescpace/bcpace/online/despot"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/bcpace/online/pomcp"
	"bayescpace/bcpace/online/pomcpow"
	"bayescpace/envs"
)

func budget(simulations, depth int) bcpace.Budget {
	return bcpace.Budget{Simulations: simulations, Depth: depth}
}

// TestNearsTheOptimum: with enough simulations or scenarios, decisions are near the best ones.
func TestNearsTheOptimum(t *testing.T) {
	for _, x := range []struct {
		s      bcpace.Solver
		models uint64
	}{
		{pomcp.Solver{Budget: budget(20_000, 0)}, 5},
		{pomcpow.Solver{Budget: budget(20_000, 0)}, 3},
		{despot.Solver{Scenarios: 20_000, Budget: budget(200, 6)}, 5},
	} {
		t.Run(x.s.Name(), func(t *testing.T) { nearTheOptimum(t, x.s, x.models) })
	}
}

// TestTiger: in an episode of Tiger with a door at its end planners earn what is optimal.
func TestTiger(t *testing.T) {
	for _, x := range []struct {
		s        bcpace.Solver
		episodes int
	}{
		{pomcp.Solver{Budget: budget(1000, 0)}, 1000},
		{despot.Solver{Scenarios: 300, Budget: budget(100, 0)}, 300},
	} {
		t.Run(x.s.Name(), func(t *testing.T) { earnTheOptimum(t, x.s, x.episodes) })
	}
}

// TestContinuous: where states are not numbered, the bounds are assumed, and the policy walks
// to the light and away from the tiger.
func TestContinuous(t *testing.T) {
	for _, x := range []struct {
		s        bcpace.Solver
		episodes int
	}{
		{lookahead.Solver{Budget: budget(200, 0)}, 20},
		{adaops.Solver{Budget: budget(200, 0)}, 8},
	} {
		t.Run(x.s.Name(), func(t *testing.T) { assumeBounds(t, x.s, x.episodes) })
	}
}

// nearTheOptimum tests decisions in random models against exact dynamic programming: the
// action loses at most 1 % of the range of values, and its estimate is within 5 % of it. The
// seeds are fixed.
func nearTheOptimum(t *testing.T, s bcpace.Solver, models uint64) {
	t.Helper()
	for seed := range models {
		rng := rand.New(rand.NewPCG(seed, 5))
		m, at := plannertest.Random(t, rng, seed, 3, 0.4)
		best, err := eval.Optimal(t.Context(), m, eval.ExactOptions{State: at.State, Belief: at.Belief, Tolerance: 0.05})
		if err != nil {
			t.Fatal(err)
		}
		d := plannertest.Decide(t, s, m, at, rng)
		spec := m.Spec()
		width := spec.VMax() - spec.VMin()
		if loss := best.Value - best.Q[d.Action]; loss > 0.01*width {
			t.Errorf("model %d: action %d loses %v of %v", seed, d.Action, loss, best.Value)
		}
		if off := math.Abs(d.Q[d.Action] - best.Value); off > 0.05*width {
			t.Errorf("model %d: estimate %v, want %v", seed, d.Q[d.Action], best.Value)
		}
	}
}

// earnTheOptimum tests that a planner earns in so many episodes of Tiger, which ends after a
// door here, so that an episode is short, what is optimal, 3.77 by dynamic programming: to within
// five standard errors, which are missed with probability 6·10⁻⁷, and 0.5 for the finite budget.
func earnTheOptimum(t *testing.T, s bcpace.Solver, episodes int) {
	t.Helper()
	m := envs.Tiger{Ends: true}
	best, err := eval.Optimal(t.Context(), m, eval.ExactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found, _ := plannertest.Solve(t, s, m)
	r, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: episodes, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Mean < best.Value-5*r.StdErr-0.5 || r.Mean > best.Value+5*r.StdErr {
		t.Errorf("mean %v ± %v, want %v", r.Mean, r.StdErr, best.Value)
	}
}

// assumeBounds tests a planner between bounds where states are not numbered: the bounds are
// assumed, and in so many episodes the policy walks to the light and away from the tiger.
func assumeBounds(t *testing.T, s bcpace.Solver, episodes int) {
	t.Helper()
	m := envs.LightDarkTiger{Sigma: 0.01, Nodes: 2, StartAt: []float64{1, 2}}
	found, _ := plannertest.Solve(t, s, m)
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
