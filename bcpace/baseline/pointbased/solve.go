package pointbased

import (
	"cmp"
	"context"

	"bayescpace/bcpace"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// Method is an algorithm with its parameters.
type Method struct {
	Solver pomdp.Solver
	Title  string // of the algorithm, in errors
	// Goals says that it takes models with a Spec.Goal.
	Goals bool
	// Unrevealed keeps the states of a POMDP, see Method.SolvePOMDP.
	Unrevealed bool
	// Search solves tables that stay as they are. The error is that of ctx where it ends
	// before the tables of a large model have been looked through.
	Search func(ctx context.Context, m *pomdp.Model, c bcpace.Control) (*pomdp.Solution, error)
}

// Supports returns a *bcpace.UnsupportedError for a model without numbered states, or with a Spec.Goal unless h.Goals.
func (h Method) Supports(m bcpace.Model) error {
	if !h.Goals {
		if err := solverkit.NeedDiscount(m.Spec(), h.Title); err != nil {
			return err
		}
	}
	if _, finite := bcpace.AsFinite(m); !finite {
		return &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: h.Title, Need: solverkit.NeedNumbered(m)}
	}
	return nil
}

// Solve is what the Solver does for a bcpace.Model.
func (h Method) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	if err := cmp.Or(c.Check(), bcpace.Validate(m)); err != nil {
		return nil, err
	}
	kept := bcpace.KeepHorizon(m)
	if err := h.Supports(kept); err != nil {
		return nil, err
	}
	f, _ := bcpace.AsFinite(kept)
	setUp := solverkit.WithControl(ctx, c)
	tables, err := pomdp.FromBAMDP(setUp, f)
	if err != nil {
		return runs.Unfinished(ctx, err, f, h.Solver, runs.SoFar{})
	}
	found, err := h.Search(setUp, tables, c)
	if err != nil {
		return runs.Unfinished(ctx, err, f, h.Solver, runs.SoFar{})
	}
	policy, err := pomdp.AsBAMDPPolicy(f, tables, found.Policy)
	if err != nil {
		return nil, err
	}
	return &bcpace.Solution{Solver: h.Solver, Spec: f.Spec(), Policy: bcpace.PolicyOf(f, policy), Value: found.Value,
		Certificate: found.Certificate, Trace: found.Trace, Stop: found.Stop}, nil
}

// SolvePOMDP is what the Solver does for a POMDP. Unless h.Unrevealed, what its observations
// reveal becomes visible where that makes it no larger. If ctx ends before that is known,
// the policy acts on the POMDP's own states.
func (h Method) SolvePOMDP(ctx context.Context, m *pomdp.Model, c bcpace.Control) (*pomdp.Solution, error) {
	m, err := pomdp.Searched(ctx, m, h.Unrevealed)
	if err != nil {
		return nil, err
	}
	found, err := h.Search(solverkit.WithControl(ctx, c), m, c)
	if err != nil {
		return pomdp.Unfinished(ctx, err, m, h.Solver)
	}
	return found, nil
}

// Proved is the certificate of a search whose bounds and policy are proved.
func Proved(lower, upper float64) bcpace.Certificate {
	return bcpace.Certificate{Kind: bcpace.ExactCertificate, Lower: lower, Upper: upper,
		LowerBy: bcpace.ByProof, UpperBy: bcpace.ByProof, PolicyEarns: bcpace.ByProof}
}

// Ended names the reason why the context has ended a search.
func Ended(ctx context.Context) stop.Reason {
	return cmp.Or(stop.Of(ctx), stop.Deadline) // the search leaves some of its time
}
