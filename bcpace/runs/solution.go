package runs

import (
	"context"
	"math"

	"bayescpace/bcpace"
)

// Explore returns the run of s on m, with a zero Control.
//
// If m has a Spec.Horizon that its states do not keep, Explore puts the steps left on one
// more axis, as FiniteHorizon does. Run.Model is then the model with this axis, and the
// states of the run are its states.
//
// If the certificate is not exact, Explore simulates the policy for it, unless ctx has
// ended.
//
// The errors are those of Solver.Solve. Beside that of a model which breaks its contract
// late, such as one that pays a reward out of range, Explore returns the run so far.
func Explore(ctx context.Context, m bcpace.Model, s Explorer) (*Run, error) {
	return s.Explore(ctx, m, bcpace.Control{})
}

// SolutionOf returns the solution that r is.
func SolutionOf(r *Run) *bcpace.Solution {
	s := &bcpace.Solution{Solver: r.Solver, Spec: r.Spec, Policy: r.Policy(), Value: r.Value, Certificate: r.Certificate, Stop: r.Stop, InSetUp: r.InSetUp(), StandIn: r.StandIn(), Record: r}
	at := bcpace.Progress{Horizon: r.Horizon()}
	steps, escapes := 0, 0 // of the last Patience episodes, as Run.known has them
	for i, row := range r.Trace {
		steps, escapes = steps+row.Steps, escapes+row.Escapes
		if i >= r.plan.Patience {
			steps, escapes = steps-r.Trace[i-r.plan.Patience].Steps, escapes-r.Trace[i-r.plan.Patience].Escapes
		}
		at.Known = shareKnown(steps, escapes)
		at.Episodes, at.Samples, at.Steps = at.Episodes+1, at.Samples+row.Added, at.Steps+row.Steps
		at.Value, at.Gap = row.Value, row.Gap
		s.Trace = append(s.Trace, at)
	}
	if r.InSetUp() && r.Certificate.UpperBy == bcpace.ByRange {
		s.Value = math.NaN()
	}
	if r.Brackets() {
		for i := range s.Trace {
			s.Trace[i].Epsilon = r.Epsilon()
		}
		s.Value -= at.Gap
		switch {
		case r.Certificate.Kind != bcpace.NoCertificate || r.InSetUp() && r.Certificate.LowerBy != bcpace.ByRange:
			s.Value = r.Certificate.Lower
		case r.Certificate.Refuted != "" || r.InSetUp():
			s.Value = math.NaN()
		}
	}
	return s
}

// Of returns the run of a solution whose solver is an Explorer; nil for another one.
func Of(s *bcpace.Solution) *Run {
	r, _ := s.Record.(*Run)
	return r
}
