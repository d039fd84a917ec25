package robust_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/online/pomcp"
	"bayescpace/bcpace/robust"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

func TestRefuses(t *testing.T) {
	for what, s := range map[string]robust.Solver{
		"no epsilon":        {},
		"epsilon":           {Epsilon: math.NaN()},
		"radius of all":     {Epsilon: 1, Set: robust.PriorSet{Radius: 0.1}},
		"no radius":         {Epsilon: 1, Set: robust.PriorSet{Kind: robust.L1}},
		"radius":            {Epsilon: 1, Set: robust.PriorSet{Kind: robust.Box, Radius: -1}},
		"infinite radius":   {Epsilon: 1, Set: robust.PriorSet{Kind: robust.KL, Radius: math.Inf(1)}},
		"kind":              {Epsilon: 1, Set: robust.PriorSet{Kind: "l2", Radius: 1}},
		"priors":            {Epsilon: 1, MaxPriors: -1},
		"episodes":          {Epsilon: 1, Episodes: -1},
		"delta":             {Epsilon: 1, Delta: 1},
		"the inner's fault": {Epsilon: 1, Inner: qmdp.Solver{ControlPoints: -1}},
	} {
		if _, err := s.Solve(t.Context(), envs.Tiger{}, bcpace.Control{}); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%s: %v, want an InputError", what, err)
		}
	}
	if _, err := (robust.Solver{Epsilon: 1}).Solve(t.Context(), nil, bcpace.Control{}); err == nil {
		t.Error("nil was solved")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if found, err := (robust.Solver{Epsilon: 1}).Solve(ctx, envs.Tiger{}, bcpace.Control{}); !errors.Is(err, context.Canceled) && (found == nil || found.Certificate.Lower > found.Certificate.Upper) {
		t.Errorf("cancelled: %v, %v", found, err)
	}
}

// TestPlans: policies that plan while they act are simulated under each latent, and the bounds hold the robust value of Tiger, 19.3713.
func TestPlans(t *testing.T) {
	s := robust.Solver{Epsilon: 1, Inner: pomcp.Solver{Budget: bcpace.Budget{Simulations: 10, Depth: 30}}, MaxPriors: 1, Episodes: 40}
	found, err := s.Solve(t.Context(), envs.Tiger{}, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	c := found.Certificate
	if c.LowerBy != bcpace.BySimulation || c.Kind != bcpace.StatisticalCertificate || c.Lower > 19.3714 || c.Upper < 19.3713 || found.Stop == stop.Certified {
		t.Errorf("%+v, %s", c, found.Stop)
	}
}

// TestDeadline: what there is when the time is over has bounds that hold.
func TestDeadline(t *testing.T) {
	m, err := envs.New("light-dark-tiger", []bcpace.Param{{Key: "sigma", Value: "0.3"}, {Key: "width", Value: "3"}, {Key: "height", Value: "3"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	found, err := robust.Solver{Epsilon: 1e-6}.Solve(ctx, m, bcpace.Control{})
	if errors.Is(err, context.DeadlineExceeded) { // a slow machine had found nothing by then
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if c := found.Certificate; !(c.Lower <= c.Upper) || found.Policy == nil || found.Stop != stop.Deadline && found.Stop != stop.Rounding {
		t.Errorf("%+v, %s", c, found.Stop)
	}
}
