package online

import (
	"cmp"
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/tabular"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// Solution returns the solution whose policy is p, a planner of m or one that learns: nothing is known of its value, and no
// bound but the range of returns.
func Solution(s bcpace.Solver, m bcpace.Model, p bcpace.Policy) *bcpace.Solution {
	spec := m.Spec()
	c := solverkit.RangeCertificate(spec)
	c.Lower, c.Upper = solverkit.RangeOfReturns(m)
	return &bcpace.Solution{Solver: s, Spec: spec, Policy: bcpace.PolicyOf(m, p), Value: math.NaN(), Certificate: c,
		Trace: []bcpace.Progress{{Value: math.NaN()}}, Stop: stop.Unsolved}
}

// Check returns an *bcpace.InputError for a control, a model or a budget that cannot be used, and an
// *bcpace.UnsupportedError of solver s for a model with a Spec.Goal.
func Check(s bcpace.Solver, m bcpace.Model, c bcpace.Control, b bcpace.Budget) error {
	return cmp.Or(c.Check(), solverkit.CheckDiscount(m, s.Name()), CheckBudget(b))
}

// CheckBudget returns an *bcpace.InputError for a budget that cannot be used.
func CheckBudget(b bcpace.Budget) error {
	need := bcpace.In("options").Need
	return cmp.Or(
		need(b.Simulations >= 0, "Budget", b.Simulations, "1 simulation or more for a decision"),
		need(b.Time >= 0, "Budget", b.Time, "a time above 0 for a decision"),
		need(b.Depth >= 0, "Budget.Depth", b.Depth, "1 step or more, or 0 for the default"))
}

// SolveLearner returns the solution of a solver s for m, whose policy is that of the agents that make
// makes for the model it is given: m, with the steps left on an axis if it has a horizon and no
// unknown transitions. Nothing is known of its value, and no bound but the range of returns.
// sweeps is a parameter of s.
//
// The error is an *bcpace.InputError for a control, a model or a number of sweeps that cannot be
// used, an *bcpace.UnsupportedError for unknown transitions without a discount or a Spec.Goal, or that of
// tabular.Policy.
func SolveLearner(ctx context.Context, s bcpace.Solver, m bcpace.Model, c bcpace.Control, sweeps int, make func(tabular.Posterior, bcpace.Model) tabular.Agent) (*bcpace.Solution, error) {
	if err := cmp.Or(Check(s, m, c, bcpace.Budget{}), CheckSweeps(sweeps)); err != nil {
		return nil, err
	}
	if _, learns := m.(bcpace.UnknownTransitions); !learns {
		m = bcpace.KeepHorizon(m)
	} else if spec := m.Spec(); spec.Discount == 1 {
		return nil, &bcpace.UnsupportedError{Model: spec.Name, Algorithm: s.Name(), Need: "a discount below 1, as the steps left are no part of the states whose transitions are learned"}
	}
	p, err := tabular.Policy(solverkit.WithControl(ctx, c), m, s.Name(), func(know tabular.Posterior) tabular.Agent { return make(know, m) })
	if err != nil {
		return runs.Unfinished(ctx, err, m, s, runs.SoFar{})
	}
	return Solution(s, m, p), nil
}

// CheckSweeps returns an *bcpace.InputError for a number of sweeps that cannot be used.
func CheckSweeps(sweeps int) error {
	return bcpace.In("options").Need(sweeps >= 0, "Sweeps", sweeps, "1 sweep or more, or 0 for the default")
}
