package online

import (
	"context"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/tabular"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// SolveLearner returns the solution of a solver s for m, whose policy is that of the agents that make
// makes for the model it is given: m, with the steps left on an axis if it has a horizon and no
// unknown transitions. Nothing is known of its value, and no bound but the range of returns.
// sweeps is a parameter of s.
//
// The error is an *bcpace.InputError for a control, a model or a number of sweeps that cannot be
// used, an *bcpace.UnsupportedError for unknown transitions without a discount or a Spec.Goal, or that of
// tabular.Policy.
func SolveLearner(ctx context.Context, s bcpace.Solver, m bcpace.Model, c bcpace.Control, sweeps int, make func(tabular.Posterior, bcpace.Model) tabular.Agent) (*bcpace.Solution, error) {
	if err := Check(s, m, c, bcpace.Budget{}); err != nil {
		return nil, err
	}
	if err := CheckSweeps(sweeps); err != nil {
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
	if sweeps < 0 {
		return bcpace.In("options").Bad("Sweeps", sweeps, "1 sweep or more, or 0 for the default")
	}
	return nil
}
