package pomdplite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// Solver is POMDP-lite as a solver. Every zero value is useful.
type Solver struct {
	// Beta is β, the weight of the exploration bonus, in reward units per unit of
	// ‖b' − b‖₁, which is at most 2. 0 means 1 % of the range of rewards: it breaks ties
	// towards learning and pays for little else.
	Beta float64
	// NoBonus is for β = 0: the agent acts as if it would never learn more. Beta is 0 then.
	NoBonus bool
	// Unvalued leaves out the value of the policy, which takes a plan without endy belief that
	// the policy reaches.
	Unvalued bool `json:",omitempty"`
	// Seed makes the episodes that tell the value of the policy where it meets more
	// beliefs than can be listed.
	Seed uint64
}

// defaultShare is Beta where none is given, as a part of the range of rewards.
const defaultShare = 0.01

// Name implements bcpace.Solver.
func (Solver) Name() string { return "pomdp-lite" }

// Solve implements bcpace.Solver. The value is what the policy earns: exactly, or as
// the mean of simulated episodes, of those so far if ctx ends; NaN of none, or if Unvalued.
// Nothing is certified.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	if err := cmp.Or(c.Check(), bcpace.Validate(m)); err != nil {
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
	beta := s.Beta
	if beta == 0 && !s.NoBonus {
		beta = defaultShare * (spec.RewardMax - spec.RewardMin)
	}
	p, err := newPolicy(solverkit.WithControl(ctx, c), m, beta)
	if err != nil {
		return runs.Unfinished(ctx, err, m, s, runs.SoFar{})
	}
	found := &bcpace.Solution{Solver: s, Spec: spec, Policy: bcpace.PolicyOf(m, p), Certificate: solverkit.RangeCertificate(spec), Stop: stop.Converged}
	end := bcpace.Progress{Value: math.NaN()}
	if !s.Unvalued {
		if end, err = s.earned(ctx, m, p, c.Workers); err != nil {
			if ended := ctx.Err(); ended == nil || !errors.Is(err, ended) {
				return nil, err
			}
			found.Stop = stop.Of(ctx)
		}
	}
	found.Value, found.Trace = end.Value, []bcpace.Progress{end}
	return found, nil
}

// earned returns what p earns in m. The error may come with the mean of the episodes so far.
func (s Solver) earned(ctx context.Context, m bcpace.Model, p bcpace.Policy, workers int) (bcpace.Progress, error) {
	e, err := eval.Evaluate(ctx, m, p, eval.ExactOptions{})
	if limit := (*eval.LimitError)(nil); errors.As(err, &limit) {
		r, err := eval.Rollouts(ctx, m, p, eval.Options{Seed: s.Seed, Workers: workers})
		return bcpace.Progress{Value: r.Mean, Episodes: r.Episodes, Steps: r.Steps}, err
	} else if err != nil {
		return bcpace.Progress{Value: math.NaN()}, err
	}
	return bcpace.Progress{Value: e.Value}, nil
}

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "plans at every step as if it learned no more, with a bonus for what an action tells",
		Written: "POMDP-lite",
		Cited:   "POMDP-lite [@chen2016]",
		SetUp:   "the value of its policy, which takes a plan for every belief that it reaches",
		Params:  []solverkit.Param{{Key: "bonus", Field: "Beta", Arg: "B", Doc: "weight β of the bonus, in reward units (default 1% of the range of rewards)", Zero: "NoBonus"}, solverkit.Seed},
	}
}

// Supports implements solverkit.Selective.
func (s Solver) Supports(m bcpace.Model) error { return solverkit.NeedsNumbered(m, s.Name()) }
