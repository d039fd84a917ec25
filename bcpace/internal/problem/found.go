package problem

import (
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/runs"
)

// PolicyFound is what a solver has found: on the model of a problem, or on its tables.
type PolicyFound struct {
	// Solution is that of the model. On tables, all but its Policy is that of Tables.
	*bcpace.Solution
	Tables *pomdp.Solution // nil on a model
	Play   EpisodePlayer   // plays the policy
}

// EpisodePlayer plays episodes with a policy.
type EpisodePlayer func(ctx context.Context, o eval.Options) (eval.Result, error)

// OnModel returns what plays p in a BAMDP.
func OnModel(m bcpace.Model, p bcpace.Policy) EpisodePlayer {
	return func(ctx context.Context, o eval.Options) (eval.Result, error) { return eval.Rollouts(ctx, m, p, o) }
}

// OnTables returns what plays p in a POMDP.
func OnTables(m *pomdp.Model, p pomdp.Policy) EpisodePlayer {
	return func(ctx context.Context, o eval.Options) (eval.Result, error) {
		return pomdp.Rollouts(ctx, m, p, o)
	}
}

// Solve runs a solver: on the tables of a file where it can, and otherwise on the model. If the
// model has broken its contract, what was found before stands beside the error.
func (p Problem) Solve(ctx context.Context, s bcpace.Solver, c bcpace.Control) (*PolicyFound, error) {
	if s, ok := s.(pomdp.Solver); ok && p.Tables != nil {
		x, err := s.SolvePOMDP(ctx, p.Tables, c)
		if err != nil {
			return nil, err
		}
		return &PolicyFound{Tables: x, Play: OnTables(x.Model, x.Policy), Solution: &bcpace.Solution{Solver: x.Solver, Value: x.Value, Certificate: x.Certificate,
			Trace: x.Trace, Stop: x.Stop, InSetUp: x.InSetUp, StandIn: runs.StandInFirst}}, nil
	}
	x, err := s.Solve(ctx, p.Model, c)
	if x == nil {
		return nil, err
	}
	return &PolicyFound{Solution: x, Play: OnModel(p.Model, x.Policy)}, err
}

// Stated returns the certificate as it is shown: where nothing is certified, a bound that only
// the range of rewards gives says nothing. It is NaN, and its reason "".
func (f *PolicyFound) Stated() bcpace.Certificate {
	c := f.Certificate
	if c.Kind != bcpace.NoCertificate {
		return c
	}
	if c.PolicyEarns == bcpace.ByRange {
		c.PolicyEarns = ""
	}
	if c.LowerBy == bcpace.ByRange {
		c.Lower, c.LowerBy = math.NaN(), ""
	}
	if c.UpperBy == bcpace.ByRange {
		c.Upper, c.UpperBy = math.NaN(), ""
	}
	return c
}

// End returns how far the solver had come.
func (f *PolicyFound) End() bcpace.Progress {
	if len(f.Trace) == 0 {
		return bcpace.Progress{}
	}
	return f.Trace[len(f.Trace)-1]
}
