package constrained_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/constrained"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/online/pomcp"
	"bayescpace/envs"
)

func bites(x constrained.Step) float64 {
	if x.Action == x.Latent+1 {
		return 1
	}
	return 0
}

func TestRefuses(t *testing.T) {
	good := constrained.Cost{Of: bites, Most: 1}
	for what, s := range map[string]constrained.Solver{
		"no cost":    {Epsilon: 1},
		"no most":    {Epsilon: 1, Cost: constrained.Cost{Of: bites}},
		"most":       {Epsilon: 1, Cost: constrained.Cost{Of: bites, Most: math.Inf(1)}},
		"no epsilon": {Cost: good},
		"limit":      {Epsilon: 1, Cost: good, Limit: -1},
		"no limit":   {Epsilon: 1, Cost: good, Limit: math.NaN()},
		"solves":     {Epsilon: 1, Cost: good, MaxSolves: -1},
		"episodes":   {Epsilon: 1, Cost: good, Episodes: -1},
		"delta":      {Epsilon: 1, Cost: good, Delta: 2},
	} {
		if _, err := s.Solve(t.Context(), envs.Tiger{}, bcpace.Control{}); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%s: %v, want an InputError", what, err)
		}
	}
	high := constrained.Cost{Most: 1, Of: func(constrained.Step) float64 { return 2 }}
	if _, err := (constrained.Solver{Epsilon: 1, Cost: high, Limit: 100}).Solve(t.Context(), envs.Tiger{}, bcpace.Control{}); err == nil || !strings.Contains(err.Error(), "Cost.Of is 2") {
		t.Errorf("a cost above Most: %v", err)
	}
}

// TestInfeasible: an episode of Tiger has 1/(1−γ) = 20 discounted steps, whatever is done.
func TestInfeasible(t *testing.T) {
	steps := constrained.Cost{Name: "steps", Most: 1, Of: func(constrained.Step) float64 { return 1 }}
	_, err := constrained.Solver{Cost: steps, Limit: 19, Epsilon: 0.1}.Solve(t.Context(), envs.Tiger{}, bcpace.Control{})
	var none *constrained.InfeasibleError
	if !errors.As(err, &none) || none.Least > 20+1e-6 || none.Least < 19.9 || none.Most < 20-1e-6 {
		t.Errorf("%v", err)
	}
}

// TestPlans: policies that plan while they act are simulated, and keep to the limit.
func TestPlans(t *testing.T) {
	s := constrained.Solver{Cost: constrained.Cost{Of: bites, Most: 1}, Limit: 6, Epsilon: 1, Inner: pomcp.Solver{Budget: bcpace.Budget{Simulations: 10, Depth: 30}}, MaxSolves: 2, Episodes: 40}
	found, err := s.Solve(t.Context(), envs.Tiger{}, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	c := found.Certificate
	if c.LowerBy != bcpace.BySimulation || constrained.Of(found).Cost > 6+1e-6 || c.Lower > c.Upper {
		t.Errorf("%+v at a cost of %v", c, constrained.Of(found).Cost)
	}
	r, err := eval.Rollouts(t.Context(), envs.Tiger{}, found.Policy, eval.Options{Episodes: 60, Seed: 9})
	if err != nil || r.Mean < c.Lower-5*r.StdErr {
		t.Errorf("earns %v ± %v, %v, want %v", r.Mean, r.StdErr, err, c.Lower)
	}
}

// TestUnits: limits just above the least cost are kept, whatever the units of rewards and of ε.
func TestUnits(t *testing.T) {
	cost := constrained.Cost{Most: 1, Of: func(x constrained.Step) float64 {
		switch x.Action {
		case 0:
			return 0.05
		case x.Latent + 1:
			return 1
		}
		return 0
	}}
	for _, epsilon := range []float64{0.1, 1, 10} { // the least cost is 0.8447
		found, err := constrained.Solver{Cost: cost, Limit: 0.8616, Epsilon: epsilon}.Solve(t.Context(), envs.Tiger{}, bcpace.Control{})
		if err != nil || constrained.Of(found).Cost > 0.8616+1e-6 {
			t.Errorf("ε = %v: %v, %v", epsilon, found, err)
		}
	}
	free, err := bcpace.FromTables(bcpace.Tables{Discount: 0.99, P: [][][][]float64{{{{0, 0.5, 0.5}, {0, 1, 0}, {0, 0, 1}}}}, R: [][][]float64{{{0, 0, 0}}}})
	if err != nil {
		t.Fatal(err)
	}
	once := constrained.Cost{Most: 1, Of: func(x constrained.Step) float64 { return 1 - min(x.State[0], 1) }}
	found, err := constrained.Solver{Cost: once, Limit: 1.5, Epsilon: 1}.Solve(t.Context(), free, bcpace.Control{})
	if err != nil || constrained.Of(found).Cost > 1+1e-6 {
		t.Errorf("a model without rewards: %v, %v", found, err)
	}
}

// TestNoTime: where the time is over, the error is the context's.
func TestNoTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := constrained.Solver{Cost: constrained.Cost{Of: bites, Most: 1}, Limit: 0.1, Epsilon: 0.1}.Solve(ctx, envs.Tiger{}, bcpace.Control{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
