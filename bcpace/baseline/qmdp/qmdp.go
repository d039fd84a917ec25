// Package qmdp is QMDP (Littman, Cassandra and Kaelbling 1995, "Learning
// policies for partially observable environments: scaling up"): it acts as if
// all that is hidden would be known after the next step,
//
//	a = argmax Σ b(y) · Q_MDP(x, y, a)
//
// and so never acts to learn. Its values bound those of the POMDP from above. The fast
// informed bound of dp.FIBBound is tighter. CertaintyEquivalent acts by the same values, as if the
// most likely latent were the true one.
package qmdp

import (
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
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
	q, err := dp.SolveLatentOn(solverkit.WithControl(ctx, c), m, dp.GridOptions{NoError: true})
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
	proved := solverkit.RangeCertificate(spec)
	if v, ok := q.(*dp.FiniteValues); ok {
		proved.Upper, proved.UpperBy = value+v.Error, bcpace.ByProof
	}
	return &bcpace.Solution{Solver: s, Spec: spec, Value: value, Certificate: proved, Stop: stop.Converged,
		Policy: bcpace.PolicyOf(m, dp.LatentPolicy(q, len(spec.Actions))), Trace: []bcpace.Progress{{Value: value}}}, nil
}
