package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// fileParam and horizonParam are the parameters of a model from a file: the file's
// name, and the horizon if one was given.
const (
	fileParam    = "file"
	horizonParam = "horizon"
)

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
	return bcpace.Derive(f, func(_ bcpace.Model, a *bcpace.Abilities) {
		a.Spec.Params = []bcpace.Param{{Key: fileParam, Value: file}} // by which a saved run finds it again
		if a.Spec.Horizon > 0 {
			a.Spec.Params = append(a.Spec.Params, bcpace.Param{Key: horizonParam, Value: strconv.Itoa(a.Spec.Horizon)})
		}
	}), nil
}

// modelFinder returns the function that makes the model of a saved run.
func modelFinder(ctx context.Context) runs.ModelFinder {
	return func(name string, params []bcpace.Param) (bcpace.Model, error) { return findModel(ctx, name, params) }
}

// isFile reports whether the name and the parameters are those of a model from a file. An
// environment that was registered may have a parameter of the same name.
func isFile(name string, params []bcpace.Param) bool {
	return len(params) > 0 && params[0].Key == fileParam && !slices.ContainsFunc(envs.List(), func(e envs.Info) bool {
		return e.Name == name && slices.ContainsFunc(e.Params, func(p envs.ParamInfo) bool { return p.Key == fileParam })
	})
}

// findModel makes the model of a saved run: an environment, or one from a file.
func findModel(ctx context.Context, name string, params []bcpace.Param) (bcpace.Model, error) {
	if !isFile(name, params) {
		if !slices.ContainsFunc(envs.List(), func(e envs.Info) bool { return e.Name == name }) {
			return nil, fmt.Errorf("%q is not in package envs, and this program cannot make it: a program that registers it with envs.Register and calls cmd.Main can; "+
				"in Go, runs.Read with runs.FixedModel(model) reads the run, "+
				"for runs.Verify, runs.Resume, eval.Rollouts, lipschitz.FromModel, and frame.Samples and frame.Trace with frame.WriteCSV or parquet.Write", name)
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

// describe returns a model with the description of a POMDP, from which default options
// follow.
func describe(m *pomdp.Model) described { return described{spec: m.Spec()} }

// rolloutFunc plays episodes with a policy.
type rolloutFunc func(ctx context.Context, o eval.Options) (eval.Result, error)

// rolloutsOnModel returns a function that plays p in a BAMDP.
func rolloutsOnModel(m bcpace.Model, p bcpace.Policy) rolloutFunc {
	return func(ctx context.Context, o eval.Options) (eval.Result, error) { return eval.Rollouts(ctx, m, p, o) }
}

// rolloutsOnTables returns a function that plays p in a POMDP.
func rolloutsOnTables(m *pomdp.Model, p pomdp.Policy) rolloutFunc {
	return func(ctx context.Context, o eval.Options) (eval.Result, error) {
		return pomdp.Rollouts(ctx, m, p, o)
	}
}
