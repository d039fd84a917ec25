package pomdplite

import (
	"context"
	"errors"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// Solver is POMDP-lite as a solver. Every zero value is useful.
type Solver struct {
	// Beta is β, the weight of the exploration bonus, see Options. 0 means 1 % of the
	// range of rewards: it breaks ties towards learning and pays for little else.
	Beta float64
	// NoBonus is for β = 0. Beta is 0 then.
	NoBonus bool
	// Seed makes the episodes that tell the value of the policy where it meets more
	// beliefs than can be listed.
	Seed uint64
}

// defaultShare is Beta where none is given, as a part of the range of rewards.
const defaultShare = 0.01

// Name implements bcpace.Solver.
func (Solver) Name() string { return "pomdp-lite" }

// Solve implements bcpace.Solver. The value is what the policy earns: exactly, or as
// the mean of simulated episodes, of those so far if ctx ends; NaN of none. Nothing is
// certified.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	switch {
	case !(s.Beta >= 0) || math.IsInf(s.Beta, 1):
		return nil, bcpace.In("options").Bad("Beta", s.Beta, "a weight of 0 or more")
	case s.NoBonus && s.Beta != 0:
		return nil, bcpace.In("options").Bad("Beta", fmt.Sprint(s.Beta)+" beside NoBonus", "one of them")
	}
	m = bcpace.KeepHorizon(m)
	spec := m.Spec()
	o := Options{Beta: s.Beta}
	if o.Beta == 0 && !s.NoBonus {
		o.Beta = defaultShare * (spec.RewardMax - spec.RewardMin)
	}
	p, err := Plan(solverkit.WithControl(ctx, c), m, o)
	if err != nil {
		return runs.Unfinished(ctx, err, m, s, runs.SoFar{})
	}
	found := &bcpace.Solution{Solver: s, Spec: spec, Policy: bcpace.PolicyOf(m, p), Certificate: bcpace.RangeCertificate(spec), Stop: bcpace.StopConverged}
	end := bcpace.Progress{Value: math.NaN()}
	e, err := eval.Evaluate(ctx, m, p, eval.ExactOptions{})
	if limit := (*eval.LimitError)(nil); errors.As(err, &limit) {
		var r eval.Result
		r, err = eval.Rollouts(ctx, m, p, eval.Options{Seed: s.Seed, Workers: c.Workers})
		end.Value, end.Episodes, end.Steps = r.Mean, r.Episodes, r.Steps
	} else if err == nil {
		end.Value = e.Value
	}
	if ended := ctx.Err(); err != nil && ended != nil && errors.Is(err, ended) {
		found.Stop, err = runs.Plan{}.Spent(ctx, 0, 0), nil
	}
	if err != nil {
		return nil, err
	}
	found.Value, found.Trace = end.Value, []bcpace.Progress{end}
	return found, nil
}
