package cmd

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/problem"
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

// ofFile returns the problem of a model that was read from a file. Its BAMDP names the file, by
// which a saved run finds it again.
func ofFile(ctx context.Context, m *pomdp.Model, file string) (problem.Problem, error) {
	p, err := problem.OfTables(ctx, m)
	if p.Model != nil {
		p.Model = bcpace.Derive(p.Model, func(_ bcpace.Model, a *bcpace.Abilities) {
			a.Spec.Params = fileParams(file, a.Spec.Horizon)
		})
	}
	return p, err
}

// fileParams are the parameters of the model of a file, with a horizon if that is not 0.
func fileParams(file string, horizon int) []bcpace.Param {
	list := []bcpace.Param{{Key: fileParam, Value: file}}
	if horizon > 0 {
		list = append(list, bcpace.Param{Key: horizonParam, Value: strconv.Itoa(horizon)})
	}
	return list
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
	if len(params) > 0 && params[0].Key == processParam {
		return nil, fmt.Errorf("it is of a simulator, which no file starts: eval, act, verify, plot and solve --resume take it with --%s and what --%s was given then, %q", processParam, processParam, params[0].Value)
	}
	if !isFile(name, params) {
		if !slices.ContainsFunc(envs.List(), func(e envs.Info) bool { return e.Name == name }) {
			return nil, fmt.Errorf("%q is not in package envs, and this program cannot make it: a program that registers it with envs.Register and calls cmd.Main can; "+
				"in Go, runs.Read with runs.FixedModel(model) reads the run, "+
				"for runs.Verify, runs.Resume, eval.Rollouts, lipschitz.FromModel, and frame.Samples and frame.Trace with frame.WriteCSV or parquet.Write", name)
		}
		return envs.New(name, params)
	}
	p, err := problemOfFile(ctx, params[0].Value, params)
	if err != nil {
		return nil, err
	}
	return p.Model, p.NoBAMDP
}

// problemOfFile makes the problem of a model file with the parameters of what was saved of it.
func problemOfFile(ctx context.Context, file string, params []bcpace.Param) (problem.Problem, error) {
	m, err := pomdpfile.ReadFile(ctx, file)
	if err != nil {
		return problem.Problem{}, err
	}
	for _, p := range params[1:] {
		if p.Key == horizonParam {
			if m.Horizon, err = strconv.Atoi(p.Value); err != nil {
				return problem.Problem{}, inputError("the parameter "+horizonParam, p.Value, "a number of steps")
			}
		}
	}
	return ofFile(ctx, m, params[0].Value)
}
