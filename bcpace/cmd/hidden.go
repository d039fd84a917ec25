package cmd

import (
	"context"
	"slices"
	"strings"

	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/solvers"
	"bayescpace/envs"
)

// What is special of an environment whose hidden variable is a vector: eval plays it with a planner of package hidden.

// particlesKey is the flag of the belief.
const particlesKey = "particles"

// hiddenBeside are the flags of eval that go with any planner.
var hiddenBeside = []string{"env", "set", "algorithm", "episodes", "horizon", "seed", "timeout", "workers", "json", particlesKey}

// isHidden reports whether the environment of that name has a hidden vector.
func isHidden(name string) bool { return slices.Contains(hiddenNames(), name) }

// plannerParameters are those of the planners for a hidden vector that no solver has, each once.
func plannerParameters() (list []solvers.Param) {
	has := parameters()
	for _, x := range solvers.ListPlanners() {
		for _, p := range x.Params {
			if !slices.ContainsFunc(append(has, list...), func(q solvers.Param) bool { return q.Key == p.Key }) {
				list = append(list, p)
			}
		}
	}
	return list
}

// onlyHidden returns a *usageError for a flag that goes with a hidden vector alone.
func onlyHidden(f *flags) error {
	keys := []string{particlesKey}
	for _, p := range plannerParameters() {
		keys = append(keys, p.Key)
	}
	for _, key := range keys {
		if f.given[key] {
			return misuse("--%s is for an environment with a hidden vector: leave it out, or take one of %s", key, strings.Join(hiddenNames(), ", "))
		}
	}
	return nil
}

// hiddenNames returns the names of the environments with a hidden vector.
func hiddenNames() []string {
	return each(envs.ListHidden(), func(x envs.Info) string { return x.Name })
}

// fromHidden is the source of an environment with a hidden vector.
func (a *evalArgs) fromHidden(f *flags) (rolloutSource, error) {
	if !f.given["algorithm"] {
		return nil, misuse("--algorithm is missing: environment %s has a hidden vector, for which there are %s", a.problem.env.name, strings.Join(solvers.PlannerNames(), ", "))
	}
	x, ok := solvers.FindPlanner(a.problem.algorithm)
	if !ok {
		return nil, misuse("environment %s has a hidden vector, for which there is no algorithm %q: want %s", a.problem.env.name, a.problem.algorithm, numtext.OneOf(a.problem.algorithm, solvers.PlannerNames()))
	}
	for _, s := range f.sections {
		for _, flag := range s.flags {
			if _, reads := x.Param(flag.name); f.given[flag.name] && !reads && !slices.Contains(hiddenBeside, flag.name) {
				way := strings.TrimSuffix("leave out --"+flag.name+", or take "+strings.Join(solvers.PlannersReading(flag.name), " or "), ", or take ")
				return nil, misuse("--%s and --algorithm %s contradict each other in an environment with a hidden vector: %s", flag.name, x.Name, way)
			}
		}
	}
	a.timed = true
	return func(program, *progressLine) (problem.EpisodePlayer, error) {
		if f.given[particlesKey] && a.particles < 1 {
			return nil, inputError("--"+particlesKey, a.particles, "1 particle or more")
		}
		m, err := envs.NewHidden(a.problem.env.name, a.problem.env.params)
		if err != nil {
			return nil, err
		}
		policy, err := solvers.NewPlanner(x.Name, a.problem.tuning.given, m)
		if err != nil {
			return nil, byParam(err, x.Params)
		}
		var filter hidden.Filter
		if f.given[particlesKey] {
			filter = hidden.Particles{Number: a.particles}
		}
		return func(ctx context.Context, o eval.Options) (eval.Result, error) {
			r, err := hidden.Simulate(ctx, m, policy, hidden.Options{Episodes: o.Episodes, Horizon: o.Horizon, Seed: o.Seed, Workers: o.Workers, Filter: filter, Progress: o.Progress})
			a.surprises = &r.Surprises
			return r, byParam(err, []solvers.Param{{Key: particlesKey, Field: "Number"}})
		}, nil
	}, nil
}
