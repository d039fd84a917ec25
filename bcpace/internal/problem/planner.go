package problem

import (
	"cmp"
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
	"bayescpace/bcpace/stop"
)

// Vectors is a policy for a hidden vector, with the model and the belief that it acts on.
type Vectors struct {
	Model  *hidden.Model
	Policy hidden.Policy
	Filter hidden.Filter
}

// plan returns the policy of a planner, of whose value nothing is known.
func (p Problem) plan(s solvers.Planner) (*PolicyFound, error) {
	v := &Vectors{Model: p.Hidden}
	if s.Particles != 0 {
		v.Filter = hidden.Particles{Number: s.Particles}
	}
	var err error
	if v.Policy, err = s.Policy(p.Hidden); err != nil {
		return nil, err
	}
	return &PolicyFound{Vectors: v, Play: v.play, Solution: &bcpace.Solution{Solver: s, Spec: p.Spec(), Value: math.NaN(),
		Certificate: solverkit.RangeCertificate(p.Spec()), Trace: []bcpace.Progress{{Value: math.NaN()}}, Stop: stop.Unsolved}}, nil
}

func (v *Vectors) play(ctx context.Context, o eval.Options) (eval.Result, error) {
	return hidden.Simulate(ctx, v.Model, v.Policy, hidden.Options{Episodes: o.Episodes, Horizon: o.Horizon, Seed: o.Seed, Workers: o.Workers,
		Filter: cmp.Or(v.Filter, hidden.DefaultFilter(v.Model)), Progress: o.Progress})
}
