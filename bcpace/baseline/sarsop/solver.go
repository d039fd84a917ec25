package sarsop

import (
	"context"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/internal/pointbased"
	"bayescpace/bcpace/pomdp"
)

// Solver is SARSOP as a solver, of POMDPs and of Finite models. It reads all of its
// parameters; the zero value is useful with a context that ends.
type Solver struct {
	// Epsilon is the distance of the bounds at the start at which the search ends, in
	// reward units. 0 means that only limits, the context or rounding end it; package
	// solvers, and so the command, has solvers.FiniteGap where none is given.
	Epsilon float64
	// MaxTrials and MaxBeliefs end the search after a trial that reaches them.
	// 0 means no such limit. Memory grows with the beliefs.
	MaxTrials, MaxBeliefs int
	// Unrevealed has the policy of a POMDP act on the POMDP's own states. Otherwise what
	// its observations reveal becomes visible where that makes it no larger: beliefs are
	// then over fewer hidden values. A Finite model has nothing to reveal.
	Unrevealed bool
}

// Name implements bcpace.Solver.
func (Solver) Name() string { return "sarsop" }

// Solve implements bcpace.Solver. The value is the lower bound, which the policy earns.
// The error is a *bcpace.UnsupportedError for a model without numbered states.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	return s.method().Solve(ctx, m, c)
}

// SolvePOMDP implements pomdp.Solver. If ctx ends before it is known what observations
// reveal, the policy acts on the POMDP's own states.
func (s Solver) SolvePOMDP(ctx context.Context, m *pomdp.Model, c bcpace.Control) (*pomdp.Solution, error) {
	return s.method().SolvePOMDP(ctx, m, c)
}

// Supports returns a *bcpace.UnsupportedError for a model without numbered states.
func (s Solver) Supports(m bcpace.Model) error { return s.method().Supports(m) }

func (s Solver) method() pointbased.Method {
	return pointbased.Method{Solver: s, Title: "SARSOP", Unrevealed: s.Unrevealed, Search: s.search}
}

// search is SolvePOMDP for a model that stays as it is. The error is that of ctx where it
// ends before the tables of a large model have been looked through.
func (s Solver) search(ctx context.Context, m *pomdp.Model, c bcpace.Control) (*pomdp.Solution, error) {
	o := Options{Epsilon: s.Epsilon, MaxTrials: s.MaxTrials, MaxBeliefs: s.MaxBeliefs, Workers: c.Workers}
	if c.Progress != nil {
		o.Progress = func(p Progress) { c.Progress(s.progress(p)) }
	}
	r, err := Solve(ctx, m, o)
	if err != nil {
		return nil, err
	}
	found := &pomdp.Solution{Solver: s, Model: m, Policy: r.Policy, Value: r.Lower, Stop: stopOf(ctx, r.Stop),
		Certificate: pointbased.Proved(r.Lower, r.Upper)}
	for _, p := range r.Trace {
		found.Trace = append(found.Trace, s.progress(p))
	}
	return found, nil
}

// progress says as all solvers do how far a search has come.
func (s Solver) progress(p Progress) bcpace.Progress {
	return bcpace.Progress{Episodes: p.Trials, Samples: p.Beliefs, Value: p.Upper, Gap: p.Upper - p.Lower, Epsilon: s.Epsilon}
}

// stopOf names a reason as all solvers do.
func stopOf(ctx context.Context, s Stop) bcpace.StopReason {
	switch s {
	case StopGap:
		return bcpace.StopCertified
	case StopTrials:
		return bcpace.StopEpisodes
	case StopBeliefs:
		return bcpace.StopSamples
	case StopRounding:
		return bcpace.StopRounding
	}
	return pointbased.Ended(ctx)
}
