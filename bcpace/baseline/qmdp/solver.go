package qmdp

import (
	"context"
	"errors"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// Solver is QMDP as a solver.
type Solver struct {
	// ControlPoints is for a model some of whose actions have a Box: the latent MDPs and
	// the policy have a list of so many points on each axis in its place, as
	// bcpace.Discretised makes it. 0 means its default.
	ControlPoints int `json:",omitempty"`
}

// Name implements bcpace.Solver.
func (Solver) Name() string { return "qmdp" }

// Solve implements bcpace.Solver. The latent MDPs are solved by dp.SolveLatent:
// exactly where m is Finite, and on a grid where it lists its successors. The value is
// max over a of Σ_φ b(φ)·Q(s,φ,a) at the start. If m is Finite, no policy exceeds it that takes
// actions of the list, and it is the upper bound. On a grid it is an estimate, which may lie
// below the optimal value, and no bound is given.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	m, err := solverkit.ListControls(m, s.ControlPoints, s.Name())
	if err != nil {
		return nil, err
	}
	m = bcpace.KeepHorizon(m)
	q, err := dp.SolveLatent(solverkit.WithControl(ctx, c), m)
	if err != nil {
		return runs.Unfinished(ctx, err, m, s, runs.LatentSoFar(q))
	}
	spec := m.Spec()
	value, err := solverkit.MeanAtStart(m, func(s []float64, b bcpace.Belief) float64 {
		best := math.Inf(-1)
		for a := range spec.Actions {
			best = max(best, dp.Expected(q, s, b, a))
		}
		return best
	})
	if err != nil {
		return nil, err
	}
	proved := bcpace.RangeCertificate(spec)
	if v, ok := q.(*dp.FiniteValues); ok {
		proved.Upper, proved.UpperBy = value+v.Error, bcpace.ByProof
	}
	return &bcpace.Solution{Solver: s, Spec: spec, Value: value, Certificate: proved, Stop: bcpace.StopConverged,
		Policy: bcpace.PolicyOf(m, dp.LatentPolicy(q, len(spec.Actions))), Trace: []bcpace.Progress{{Value: value}}}, nil
}

// Told returns the solution of a solver s whose policy acts as that of QMDP does where a latent
// is certain, which is the best for that latent; make makes it from the policy of QMDP. Value
// and bounds are those of Solver.
func Told(ctx context.Context, s bcpace.Solver, controlPoints int, m bcpace.Model, c bcpace.Control, make func(qmdp bcpace.Policy, latents int) bcpace.Policy) (*bcpace.Solution, error) {
	found, err := Solver{ControlPoints: controlPoints}.Solve(ctx, m, c)
	if other := new(bcpace.UnsupportedError); errors.As(err, &other) {
		other.Algorithm = s.Name()
	}
	if err != nil {
		return nil, err
	}
	list, err := solverkit.ListControls(m, controlPoints, s.Name())
	if err != nil {
		return nil, err
	}
	found.Solver, found.Policy = s, bcpace.PolicyOf(bcpace.KeepHorizon(list), make(found.Policy, len(found.Spec.Latents)))
	return found, nil
}

// SolvePOMDP implements pomdp.Solver.
func (s Solver) SolvePOMDP(ctx context.Context, m *pomdp.Model, _ bcpace.Control) (*pomdp.Solution, error) {
	m, err := pomdp.KeepHorizon(m)
	if err != nil {
		return nil, err
	}
	v, err := Solve(ctx, m, Options{})
	if err != nil {
		return pomdp.Unfinished(ctx, err, m, s)
	}
	value := v.MeanAtStart(m)
	c := bcpace.RangeCertificate(m.Spec())
	c.Upper, c.UpperBy = value, bcpace.ByProof
	return &pomdp.Solution{Solver: s, Model: m, Policy: v, Value: value, Certificate: c, Stop: bcpace.StopConverged,
		Trace: []bcpace.Progress{{Value: value}}}, nil
}
