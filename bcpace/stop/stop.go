// Package stop has the reasons why solvers end.
package stop

import (
	"context"
	"errors"
)

// Reason says why a solver ended.
type Reason string

const (
	Certified Reason = "certified" // the bounds of Certificate are within ε, and those at cpace.Solver.Starts
	Rounding  Reason = "rounding"  // the bounds no longer move, short of ε
	// Searched: the bounds of the search are within ε, if L_S holds, and those of
	// Certificate, which do not rest on L_S, are not. More of cpace.Solver.CertificateEpisodes or a
	// smaller ε bring them closer.
	Searched Reason = "search closed, certificate not"
	// Refuted: the bounds of the search came within ε, and contradict each other, the
	// certificate, or what the policy earns in simulated episodes. So L_S does not hold, or
	// the grid of latent values is too coarse; Certificate.Refuted says which bound is false: the
	// upper one, below what the policy earns, or the lower one, above it. Finer grids were tried,
	// as far as there was time and certified.Solver.Grid has room.
	Refuted Reason = "bracket refuted"
	// Fault: the model broke its contract, as the error says that came with the run.
	Fault Reason = "fault of the model"
	// Converged: no new sample for cpace.Solver.Patience episodes; of a solver without samples,
	// nothing that it computes changes any more.
	Converged Reason = "converged"
	// Unsolved: the policy plans while it acts, or learns, or was given, so that there was nothing to solve before.
	Unsolved Reason = "nothing to solve"
	// Episodes: cpace.Solver.MaxEpisodes, or what another solver counts instead, such as the levels of risk.Solver, or the multipliers or
	// trials of others.
	Episodes Reason = "episode budget"
	Samples  Reason = "sample budget" // cpace.Solver.MaxSamples
	Steps    Reason = "step budget"   // policysearch.Solver.MaxSteps
	Memory   Reason = "memory limit"  // of sarsop: its beliefs and vectors, without those of no use, take a gigabyte, or half of GOMEMLIMIT
	// Interrupted and Deadline: the context was cancelled, or its deadline passed, while the
	// run explored or while its policy was simulated for the certificate.
	Interrupted Reason = "interrupted"
	Deadline    Reason = "out of time"
)

// ByItself reports whether the solver ended by itself, by neither a limit nor the context. Then
// there is nothing to resume.
func (r Reason) ByItself() bool {
	switch r {
	case Certified, Rounding, Searched, Refuted, Fault, Converged, Unsolved:
		return true
	}
	return false
}

// Of returns why ctx has ended: Deadline or Interrupted, or "" where it has not.
func Of(ctx context.Context) Reason {
	switch err := ctx.Err(); { // asked once, as it may end meanwhile
	case errors.Is(err, context.DeadlineExceeded):
		return Deadline
	case err != nil:
		return Interrupted
	}
	return ""
}

// ByContext reports whether the context has ended the solver.
func (r Reason) ByContext() bool { return r == Interrupted || r == Deadline }
