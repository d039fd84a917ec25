package main

import (
	"context"
	"errors"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/pomdp"
)

const sarsopName = "sarsop"

// solveSARSOP solves a finite environment as a POMDP.
func solveSARSOP(ctx context.Context, t task) (*solution, error) {
	f, ok := bcpace.AsFinite(t.model)
	if !ok {
		return nil, &bcpace.UnsupportedError{Model: t.model.Spec().Name, Algorithm: "SARSOP", Need: "numbered states with exact successors (Finite)"}
	}
	m, err := pomdp.FromBAMDP(ctx, f)
	if err != nil {
		return nil, err
	}
	s, p, err := search(ctx, t, m)
	if err != nil {
		return nil, err
	}
	// On the model itself episodes have the draws of the other algorithms.
	if s.policy, err = pomdp.OnBAMDP(f, m, p); err != nil {
		s.player = onTables(m, p)
	}
	return s, nil
}

// solveSARSOPTables solves the POMDP of a file, with what its observations reveal
// of the state for visible where that makes it no larger: beliefs are then over
// fewer hidden values.
func solveSARSOPTables(ctx context.Context, t task) (*solution, error) {
	m, err := pomdp.Reveal(ctx, t.pomdp)
	tooLarge := (*bcpace.InputError)(nil) // or not valid, as the search says too
	if err != nil && !errors.As(err, &tooLarge) {
		return nil, err
	}
	// A policy to be saved is for the file's own states.
	if t.keep || err != nil || m.NumVisible() <= t.pomdp.NumVisible() || m.NumStates() > t.pomdp.NumStates() {
		m = t.pomdp
	}
	if m.Horizon > 0 {
		if m, err = pomdp.Countdown(m, m.Horizon); err != nil {
			return nil, err
		}
	}
	s, p, err := search(ctx, t, m)
	if err != nil {
		return nil, err
	}
	s.player, s.run = onTables(m, p), policyFile{m, p}
	return s, nil
}

// search runs SARSOP. The value reported is the lower bound, which the policy
// attains.
func search(ctx context.Context, t task, m *pomdp.Model) (*solution, *sarsop.Policy, error) {
	o := sarsop.Options{Epsilon: certifiedGap, MaxTrials: t.options.MaxEpisodes, MaxBeliefs: t.options.MaxSamples, Workers: t.control.Workers}
	if t.epsilonGiven {
		o.Epsilon = t.options.Epsilon
	}
	if show := t.control.Progress; show != nil {
		o.Progress = func(now sarsop.Progress) {
			show(bcpace.Progress{Episodes: now.Trials, Samples: now.Beliefs, Value: now.Upper, Gap: now.Upper - now.Lower, Epsilon: o.Epsilon})
		}
	}
	r, err := sarsop.Solve(ctx, m, o)
	if err != nil {
		return nil, nil, err
	}
	return &solution{
		result: result{
			Value: number(r.Lower), Lower: number(r.Lower), Upper: number(r.Upper), Certificate: string(bcpace.ExactCertificate),
			grounds: grounds{LowerBy: ground(bcpace.ByProof), UpperBy: ground(bcpace.ByProof), PolicyEarns: ground(bcpace.ByProof)},
			Samples: r.Beliefs, Episodes: r.Trials, Stop: string(stopOf(ctx, r.Stop)),
		},
	}, r.Policy, nil
}

// stopOf names a reason as the other algorithms do.
func stopOf(ctx context.Context, s sarsop.Stop) bcpace.StopReason {
	switch s {
	case sarsop.StopGap:
		return bcpace.StopCertified
	case sarsop.StopTrials:
		return bcpace.StopEpisodes
	case sarsop.StopBeliefs:
		return bcpace.StopSamples
	case sarsop.StopRounding:
		return bcpace.StopRounding
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return bcpace.StopDeadline
	}
	return bcpace.StopInterrupted
}
