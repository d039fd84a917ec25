package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/pomdplite"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
	"bayescpace/envs"
)

// fileParam and horizonParam are the parameters of a model from a file: the file's
// name, and the horizon if one was given.
const (
	fileParam    = "file"
	horizonParam = "horizon"
)

// fileModel is the BAMDP of a model file. Its specification says which file, so
// that a saved run finds it again.
type fileModel struct {
	bcpace.Finite
	bcpace.LatentDynamics
	bcpace.StartLikelihood
	file string
}

// Spec implements bcpace.Model.
func (m fileModel) Spec() bcpace.Spec {
	s := m.Finite.Spec()
	s.Params = []bcpace.Param{{Key: fileParam, Value: m.file}}
	if s.Horizon > 0 {
		s.Params = append(s.Params, bcpace.Param{Key: horizonParam, Value: strconv.Itoa(s.Horizon)})
	}
	return s
}

// asBAMDP returns the BAMDP of a model that was read from a file, if need be with
// what its observations reveal of the state for visible. The error is that of
// pomdp.AsBAMDP.
func asBAMDP(ctx context.Context, m *pomdp.Model, file string) (bcpace.Model, error) {
	f, err := pomdp.AsBAMDP(ctx, m)
	if dependence := (*pomdp.DependenceError)(nil); errors.As(err, &dependence) {
		revealed, failed := pomdp.Reveal(ctx, m)
		if failed != nil {
			return nil, failed
		}
		if f, failed = pomdp.AsBAMDP(ctx, revealed); failed == nil {
			err = nil
		}
	}
	if err != nil {
		return nil, err
	}
	return fileModel{f, f.(bcpace.LatentDynamics), f.(bcpace.StartLikelihood), file}, nil
}

// modelFinder returns what makes the model of a saved run.
func modelFinder(ctx context.Context) bcpace.ModelFinder {
	return func(name string, params []bcpace.Param) (bcpace.Model, error) { return findModel(ctx, name, params) }
}

// findModel makes the model of a saved run: an environment, or one from a file.
func findModel(ctx context.Context, name string, params []bcpace.Param) (bcpace.Model, error) {
	if len(params) == 0 || params[0].Key != fileParam {
		if !slices.ContainsFunc(envs.List(), func(e envs.Info) bool { return e.Name == name }) {
			return nil, fmt.Errorf("%q is not in package envs, and this program cannot make it: in Go, bcpace.ReadRun with bcpace.Given(model) reads the run, "+
				"for bcpace.Verify, bcpace.Resume, eval.Rollouts, lipschitz.FromModel, and frame.Samples and frame.Trace with frame.WriteCSV or parquet.Write", name)
		}
		return envs.New(name, params)
	}
	m, err := pomdpfile.ReadFile(ctx, params[0].Value)
	if err != nil {
		return nil, err
	}
	for _, p := range params[1:] {
		if p.Key == horizonParam {
			if m.Horizon, err = strconv.Atoi(p.Value); err != nil {
				return nil, inputError("the parameter "+horizonParam, p.Value, "a number of steps")
			}
		}
	}
	return asBAMDP(ctx, m, params[0].Value)
}

// described is a model of which nothing but the specification is asked for.
type described struct {
	bcpace.Model
	spec bcpace.Spec
}

// Spec implements bcpace.Model.
func (d described) Spec() bcpace.Spec { return d.spec }

// describe returns the specification of a POMDP, as far as options are made by it.
func describe(m *pomdp.Model) described {
	s := bcpace.Spec{Name: m.Name, Discount: m.Discount, Horizon: m.Horizon}
	for _, list := range m.Reward {
		for _, r := range list {
			s.RewardMin, s.RewardMax = min(s.RewardMin, r), max(s.RewardMax, r)
		}
	}
	return described{spec: s}
}

// solveQMDPTables is solveQMDP on the tables of a POMDP, any of them.
func solveQMDPTables(ctx context.Context, t task) (*solution, error) {
	m := t.pomdp
	if m.Horizon > 0 {
		var err error
		if m, err = pomdp.Countdown(m, m.Horizon); err != nil {
			return nil, err
		}
	}
	v, err := qmdp.Solve(ctx, m, qmdp.Options{})
	if err != nil {
		return nil, err
	}
	value := number(v.AtStart(m))
	return &solution{
		result: result{Value: value, Lower: none, Upper: value, Certificate: certificateNone, grounds: grounds{UpperBy: ground(bcpace.ByProof)}, Stop: string(bcpace.StopConverged)},
		player: onTables(m, v),
	}, nil
}

const pomdpLiteName = "pomdp-lite"

// bonusShare is the bonus of POMDP-lite where none is given, as a part of the
// range of rewards: it breaks ties towards learning and pays for little else.
const bonusShare = 0.01

// solvePOMDPLite makes the policy of POMDP-lite. The value is what it earns:
// exactly, or by rollouts where it meets more beliefs than can be listed.
func solvePOMDPLite(ctx context.Context, t task) (*solution, error) {
	spec := t.model.Spec()
	o := pomdplite.Options{Beta: bonusShare * (spec.RewardMax - spec.RewardMin)}
	if t.bonus != nil {
		if o.Beta = *t.bonus; !(o.Beta >= 0) || !number(o.Beta).finite() {
			return nil, inputError("--bonus", fmt.Sprint(o.Beta), "a weight of 0 or more")
		}
	}
	m := t.model
	if f, ok := bcpace.AsFinite(m); ok && spec.Horizon > 0 {
		var err error
		if m, err = bcpace.Countdown(f, spec.Horizon); err != nil {
			return nil, err
		}
	}
	p, err := pomdplite.Plan(ctx, m, o)
	if err != nil {
		return nil, err
	}
	value, episodes, steps := 0.0, 0, 0
	e, err := eval.Evaluate(ctx, m, p, eval.ExactOptions{})
	limit := (*eval.LimitError)(nil)
	switch {
	case errors.As(err, &limit):
		r, err := eval.Rollouts(ctx, m, p, eval.Options{Seed: t.options.Seed, Workers: t.control.Workers})
		if err != nil {
			return nil, err
		}
		value, episodes, steps = r.Mean, r.Episodes, r.Steps
	case err != nil:
		return nil, err
	default:
		value = e.Value
	}
	return &solution{
		result: result{Value: number(value), Lower: none, Upper: none, Certificate: certificateNone,
			Episodes: episodes, Steps: steps, Stop: string(bcpace.StopConverged)},
		policy: p, player: onModel(m, p),
	}, nil
}

// player plays episodes with a policy.
type player func(ctx context.Context, o eval.Options) (eval.Result, error)

// onModel plays p in a BAMDP.
func onModel(m bcpace.Model, p bcpace.Policy) player {
	return func(ctx context.Context, o eval.Options) (eval.Result, error) { return eval.Rollouts(ctx, m, p, o) }
}

// onTables plays p in a POMDP.
func onTables(m *pomdp.Model, p pomdp.Policy) player {
	return func(ctx context.Context, o eval.Options) (eval.Result, error) {
		return pomdp.Rollouts(ctx, m, p, o)
	}
}
