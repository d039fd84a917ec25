// Package problem makes what is to be solved from names and texts, as the command line and a
// sweep have them: the model, a solver that is tuned for it, and who plays what was found.
package problem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// Problem is a BAMDP, a POMDP from a file, or both, or one with a hidden vector.
type Problem struct {
	Model    bcpace.Model  // nil where the file holds no BAMDP, and with a hidden vector
	Tables   *pomdp.Model  // nil without a file
	Hidden   *hidden.Model // what planners search in where there is no Model
	NoBAMDP  error         // why there is no Model
	NoHidden error         // why there is no Hidden either
}

// Named returns the problem of an environment, see Environment.
func Named(name string, params []bcpace.Param, samples int, seed uint64) (p Problem, err error) {
	if !slices.ContainsFunc(envs.ListHidden(), func(x envs.Info) bool { return x.Name == name }) {
		p.Model, err = Environment(name, params, samples, seed)
		return p, err
	}
	if samples > 0 {
		return p, fmt.Errorf("%w: %s has a hidden vector, and no list of latents to draw: leave out samples", ErrSamples, name)
	}
	p.NoBAMDP = fmt.Errorf("%s has a hidden vector in the place of a list of latents: planners such as pomcpow take it, and discretise.New of package hidden/discretise makes a model with a list of it in Go", name)
	p.Hidden, err = envs.NewHidden(name, params)
	return p, err
}

// OfTables returns the problem of a POMDP: a BAMDP too where that is one, if need be with what
// its observations reveal of the state for visible. The error is that of ctx.
func OfTables(ctx context.Context, m *pomdp.Model) (Problem, error) {
	p := Problem{Tables: m}
	f, err := pomdp.AsBAMDP(ctx, m)
	if errors.As(err, new(*pomdp.DependenceError)) {
		if revealed, failed := pomdp.Reveal(ctx, m); failed != nil {
			err = failed
		} else if of, failed := pomdp.AsBAMDP(ctx, revealed); failed == nil {
			f, err = of, nil
		} // otherwise the error is that of the file's own states
	}
	if p.NoBAMDP = err; err != nil {
		p.Hidden, p.NoHidden = pomdp.AsHidden(m)
	} else {
		p.Model = f
	}
	return p, ctx.Err()
}

// LimitSteps gives the model of a file so many steps where it has neither a horizon nor a discount below 1; with none,
// it is one whose episodes must end.
func LimitSteps(m *pomdp.Model, steps int) {
	if m.IsGoal() {
		m.Horizon = steps
	}
}

// NeedEnd adds to the error of a solver for a model that has neither a horizon nor a discount below 1 which option
// gives it one.
func (p Problem) NeedEnd(err error, option string) error {
	if p.Tables == nil || !p.Tables.IsGoal() || !errors.As(err, new(*bcpace.UnsupportedError)) {
		return err
	}
	return fmt.Errorf("%w: %s gives episodes so many steps", err, option)
}

// described is a model of which nothing but the description is asked for.
type described struct {
	bcpace.Model
	spec bcpace.Spec
}

// Spec implements bcpace.Model.
func (d described) Spec() bcpace.Spec { return d.spec }

// Plans says that a solver of that name is a planner for a hidden vector here.
func (p Problem) Plans(name string) bool {
	x, _ := solvers.Find(name)
	_, planner := solvers.FindPlanner(name)
	return p.Model == nil && planner && !x.SolvesTables()
}

// Solver returns the solver of that name with the settings tuned for the problem. The error says
// why there is no BAMDP where the solver needs one.
func (p Problem) Solver(name string) (bcpace.Solver, error) {
	if p.Plans(name) {
		return solvers.Planner{Planner: name}, p.NoHidden
	}
	if p.Model == nil && p.Tables == nil {
		return nil, fmt.Errorf("%s needs a list of latents: %w", name, p.NoBAMDP)
	}
	tuned := p.Model
	if tuned == nil {
		tuned = described{spec: p.Tables.Spec()}
	}
	s, err := solvers.New(name, tuned)
	if err != nil {
		return nil, err
	}
	if _, tables := s.(pomdp.Solver); p.Model == nil && !tables {
		return nil, fmt.Errorf("%s needs a Bayes-adaptive MDP: %w; take sarsop or qmdp, or a planner such as pomcpow", name, p.NoBAMDP)
	}
	return s, nil
}

// FreeHorizon returns s, which was the tuned solver before parameters were set, without the tuned
// horizon if its ε is another: that horizon was for the tuned ε. It is not for an s whose horizon
// a parameter gives.
func FreeHorizon(s, tuned bcpace.Solver) bcpace.Solver {
	o, ok := s.(cpace.Solver)
	if was, _ := tuned.(cpace.Solver); !ok || o.Epsilon == was.Epsilon {
		return s
	}
	o.Horizon = 0
	return o
}

// Reached returns what is to be covered: the states and beliefs of a finite model, or what random
// actions reach in another one.
func Reached(ctx context.Context, m bcpace.Model, o cover.ReachOptions) (*cover.Reached, error) {
	if _, finite := bcpace.AsFinite(m); finite {
		return cover.Reach(ctx, m, o)
	}
	return cover.Sample(ctx, m, o, bcpace.RandomPolicy(m))
}

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
