package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
	"bayescpace/envs"
)

// Keys of parameters that every verb has, or that have a meaning of their own here.
const (
	epsilonKey = "epsilon"
	seedKey    = "seed"
	bonusKey   = "bonus"
	// particlesKey is the flag of the belief of a planner.
	particlesKey = "particles"
	// horizonKey says something of the problem for a model file.
	horizonKey = "horizon"
)

// parameters adds to a list the parameters of solvers that it lacks, but the keys above, each once: the flags of
// exploration. In eval, horizon is that of the evaluation.
func parameters(list []solvers.Param, of []solvers.Info) []solvers.Param {
	for _, x := range of {
		for _, p := range x.Params {
			own := p.Key == epsilonKey || p.Key == seedKey || p.Key == bonusKey || p.Key == solverkit.Unrevealed
			if !own && !slices.ContainsFunc(list, func(q solvers.Param) bool { return q.Key == p.Key }) {
				if p.Key == horizonKey {
					p.Doc = "with --model the horizon of the problem, for every algorithm: nothing is earned after T steps, and the discount may be 1, but for bayes-cpace; " +
						"with --env the steps of an episode of bayes-cpace; 0 for none, and for what ε and the discount ask for"
				}
				list = append(list, p)
			}
		}
	}
	return list
}

// tunedEpsilons are the ε of the environments, which take long to make.
var tunedEpsilons = sync.OnceValue(func() string {
	var tuned []string
	for _, e := range envs.List() {
		if envs.Registered(e.Name) { // to make it may take long
			continue
		}
		if m, err := envs.New(e.Name, nil); err == nil {
			tuned = append(tuned, fmt.Sprintf("%v for %s", envs.Tuned(m).Epsilon, e.Name))
		}
	}
	return strings.Join(tuned, ", ")
})

// epsilonDoc says what ε is to each algorithm, and what it is by default.
func epsilonDoc() string {
	return fmt.Sprintf("in reward units: for bayes-cpace the error allowed in a known query (default %[1]s, 1%% of the range of rewards for a model file and for an environment that is not listed here), "+
		"for certified and sarsop the distance of the bounds (default %[2]v where returns differ by 1 to 10,000, and of the same size beside them where they do not; for certified where states are not numbered, that of bayes-cpace), "+
		"for pbvi and perseus what lower bounds may still lack when backups end (default %[2]v); "+
		"the others do without", tunedEpsilons(), solvers.FiniteGap)
}

// tuning collects the parameters that were given.
type tuning struct{ given []bcpace.Param }

// flag adds a parameter to f. Its text is tried at once, on the solvers that have it,
// so that one that cannot be read is wrong usage, and kept for when the solver is known.
func (t *tuning) flag(f *flags, p solvers.Param) {
	parse := func(text string) error {
		t.given = append(t.given, bcpace.Param{Key: p.Key, Value: text})
		return try(p.Key, text)
	}
	if p.Arg == "" {
		f.toggle(p.Key, p.Doc, parse)
	} else {
		f.value(p.Key, p.Arg, p.Doc, parse)
	}
}

// try reads the text of a parameter for the first solver that has it. A value that
// means nothing is no wrong usage, and the solver says so.
func try(key, text string) error {
	for _, x := range solvers.List() {
		if _, has := x.Param(key); !has {
			continue
		}
		s, err := solvers.New(x.Name, envs.Tiger{}) // of which the text says nothing
		if err == nil {
			_, err = solvers.Set(s, key, text)
		}
		if input := (*bcpace.InputError)(nil); errors.As(err, &input) {
			return nil
		}
		return err
	}
	return nil
}

// apply returns a tuned solver with the parameters that were given and that it has. The horizon
// of a model file is not a parameter of a solver.
func (t *tuning) apply(tuned bcpace.Solver, file bool) (s bcpace.Solver, err error) {
	x, _ := solvers.InfoOf(tuned)
	s = tuned
	for _, g := range t.given {
		if e, ok := numtext.Finite(g.Value); g.Key == epsilonKey && !(ok && e > 0) {
			return nil, inputError("--epsilon", e, "a finite ε > 0, in reward units")
		}
		if _, has := x.Param(g.Key); !has || file && g.Key == horizonKey {
			continue
		}
		if s, err = solvers.Set(s, g.Key, g.Value); err != nil {
			if input := (*bcpace.InputError)(nil); errors.As(err, &input) {
				return nil, err
			}
			// Other solvers can read it, see try.
			return nil, misuse("--%s %s and --algorithm %s contradict each other: %v", g.Key, g.Value, x.Name, err)
		}
	}
	if _, given := t.text(horizonKey); !given {
		s = problem.FreeHorizon(s, tuned)
	}
	return s, nil
}

// text returns what was given for a parameter, and whether anything was.
func (t *tuning) text(key string) (text string, given bool) {
	i := slices.IndexFunc(t.given, func(g bcpace.Param) bool { return g.Key == key })
	if i < 0 {
		return "", false
	}
	return t.given[i].Value, true
}

// byFlag names the flag in an error that names a parameter of a solver.
func byFlag(err error, s bcpace.Solver) error {
	x, _ := solvers.InfoOf(s)
	return byParam(err, x.Params)
}

// byParam names the flag in an error that names one of some parameters.
func byParam(err error, params []solvers.Param) error {
	input := (*bcpace.InputError)(nil)
	if !errors.As(err, &input) || input.Where != "options" {
		return err
	}
	name := input.What
	for _, p := range params {
		if p.Field == name {
			name = "--" + p.Key
		}
	}
	return inputError(name, input.Got, input.Want)
}
