package online

import (
	"cmp"
	"math"

	"bayescpace/bcpace"
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
	if err := cmp.Or(c.Check(), bcpace.Validate(m)); err != nil {
		return err
	}
	return cmp.Or(solverkit.NeedDiscount(m.Spec(), s.Name()), CheckBudget(b))
}

// CheckBudget returns an *bcpace.InputError for a budget that cannot be used.
func CheckBudget(b bcpace.Budget) error {
	bad := bcpace.In("options").Bad
	switch {
	case b.Simulations < 0:
		return bad("Budget", b.Simulations, "1 simulation or more for a decision")
	case b.Time < 0:
		return bad("Budget", b.Time, "a time above 0 for a decision")
	case b.Depth < 0:
		return bad("Budget.Depth", b.Depth, "1 step or more, or 0 for the default")
	}
	return nil
}
