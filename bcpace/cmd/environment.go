package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/process"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// environment is an environment as the flags give it.
type environment struct {
	name     string
	params   []bcpace.Param
	samples  int    // 0 without the flag
	file     string // of --model, in place of the rest
	property string // of the file

	simulated simulator // in place of the rest
}

// flags adds the flags of an environment to f; ofEnv is "" or what it is for.
func (e *environment) flags(f *flags, ofEnv string) {
	f.value("env", "NAME", "environment"+ofEnv+"; bcpace envs lists them", text(&e.name))
	f.params(&e.params)
	f.value("samples", "N", "draw N latents for a parameter that lists them, of which --set gives a distribution: "+strings.Join(problem.Distributions(), ", ")+
		"; such as --set mass=uniform:0.5:2", func(text string) error {
		if err := whole(&e.samples)(text); err != nil || e.samples < 1 {
			return errors.New("want a whole number above 0")
		}
		return nil
	})
	e.simulated.flags(f)
}

// fileFlag adds the flag of a model file, which stands in place of an environment.
func (e *environment) fileFlag(f *flags) {
	f.value("model", "FILE", "model file in place of --env, .pomdp, .pomdpx or Storm's .drn or .umb", text(&e.file))
	propertyFlag(f, &e.property)
}

// propertyFlag adds the flag of what is asked of a model file that does not say it.
func propertyFlag(f *flags, property *string) {
	f.value("property", "TEXT", `of a .drn or .umb model, what is asked of it in PRISM's words, such as Rmin=? [F "goal"], R{"cost"}min=? [F "goal"] or Pmax=? [!"bad" U "goal"]`, text(property))
}

// problem makes the environment, or reads the model file. If the parameter that lists the latents has a distribution,
// the seed draws them. The error is a *usageError for a distribution without --samples and
// for the contrary.
func (e *environment) problem(ctx context.Context, seed uint64) (p problem.Problem, err error) {
	switch x := &e.simulated; {
	case e.file != "" && (e.name != "" || x.command != "" || len(e.params) > 0 || e.samples > 0 || x.draws != 0):
		return p, misuse("--model and what is for --env or --process contradict each other: give one model")
	case e.file != "":
		p, err = problemOfFile(ctx, e.file, fileParams(e.file, e.property, 0))
		return p, interrupted(err)
	case x.command != "" && (len(e.params) > 0 || e.samples > 0):
		return p, misuse("--process and --set or --samples contradict each other: they are for --env")
	case x.command != "":
		p.Model, err = x.start(ctx)
		return p, err
	case x.draws != 0:
		return p, misuse("--likelihood-draws needs --process")
	}
	p, err = problem.Named(e.name, e.params, e.samples, seed)
	if errors.Is(err, problem.ErrSamples) {
		return p, misuse("--samples and --set: %v", err)
	}
	return p, err
}

// model is problem, of a BAMDP.
func (e *environment) model(ctx context.Context, seed uint64) (bcpace.Model, error) {
	p, err := e.problem(ctx, seed)
	if err == nil && p.Model == nil {
		if err = fmt.Errorf("states with beliefs over a list of latents are needed here: %w", p.NoBAMDP); p.Tables != nil {
			err = fmt.Errorf("%w; advise, solve and eval take it", err)
		}
	}
	return p.Model, err
}

// The parameters of a model from a file: the file's name, what is asked of it where it does not say that, and the horizon if one was given.
const (
	fileParam     = "file"
	propertyParam = "property"
	horizonParam  = "horizon"
)

// ofFile returns the problem of a model that was read from a file. Its BAMDP names the file, by
// which a saved run finds it again.
func ofFile(ctx context.Context, m *pomdp.Model, file, property string) (problem.Problem, error) {
	p, err := problem.OfTables(ctx, m)
	if p.Model != nil {
		p.Model = bcpace.Derive(p.Model, func(_ bcpace.Model, a *bcpace.Abilities) {
			a.Spec.Params = fileParams(file, property, a.Spec.Horizon)
		})
	}
	return p, err
}

// fileParams are the parameters of the model of a file, with a property and a horizon if there are such.
func fileParams(file, property string, horizon int) []bcpace.Param {
	list := []bcpace.Param{{Key: fileParam, Value: file}}
	if property != "" {
		list = append(list, bcpace.Param{Key: propertyParam, Value: property})
	}
	return withNumber(list, horizonParam, max(horizon, 0))
}

// withNumber lists parameters, and behind them one with a number if that is not 0.
func withNumber(list []bcpace.Param, key string, number int) []bcpace.Param {
	if number != 0 {
		list = append(list, bcpace.Param{Key: key, Value: strconv.Itoa(number)})
	}
	return list
}

// valueOf is the value of a parameter, "" where there is none.
func valueOf(params []bcpace.Param, key string) (value string) {
	if i := slices.IndexFunc(params, func(p bcpace.Param) bool { return p.Key == key }); i >= 0 {
		value = params[i].Value
	}
	return value
}

// isFile reports whether the name and the parameters are those of a model from a file. An
// environment that was registered may have a parameter of the same name.
func isFile(name string, params []bcpace.Param) bool {
	return len(params) > 0 && params[0].Key == fileParam && !slices.ContainsFunc(envs.List(), func(e envs.Info) bool {
		return e.Name == name && slices.ContainsFunc(e.Params, func(p envs.ParamInfo) bool { return p.Key == fileParam })
	})
}

// modelFinder returns the function that makes the model of a saved run: an environment, or one from a file.
func modelFinder(ctx context.Context) runs.ModelFinder {
	return func(name string, params []bcpace.Param) (bcpace.Model, error) {
		switch {
		case len(params) > 0 && params[0].Key == processParam:
			return nil, fmt.Errorf("it is of a simulator, which no file starts: eval, act, verify, plot and solve --resume take it with --%s and what --%s was given then, %q", processParam, processParam, params[0].Value)
		case isFile(name, params):
			p, err := problemOfFile(ctx, params[0].Value, params)
			return p.Model, cmp.Or(err, p.NoBAMDP)
		case slices.Contains(namesOf(envs.List()), name):
			return envs.New(name, params)
		}
		return nil, fmt.Errorf("%q is not in package envs, and this program cannot make it: a program that registers it with envs.Register and calls cmd.Main can; "+
			"in Go, runs.Read with runs.FixedModel(model) reads the run, "+
			"for runs.Verify, runs.Resume, eval.Rollouts, lipschitz.FromModel, and frame.Samples and frame.Trace with frame.WriteCSV or parquet.Write", name)
	}
}

// problemOfFile makes the problem of a model file with the parameters of what was saved of it.
func problemOfFile(ctx context.Context, file string, params []bcpace.Param) (problem.Problem, error) {
	property := valueOf(params, propertyParam)
	m, err := problem.ReadModel(ctx, file, property)
	if err != nil {
		return problem.Problem{}, err
	}
	if steps := valueOf(params, horizonParam); steps != "" {
		if m.Horizon, err = strconv.Atoi(steps); err != nil {
			return problem.Problem{}, inputError("the parameter "+horizonParam, steps, "a number of steps")
		}
	}
	return ofFile(ctx, m, params[0].Value, property)
}

// processParam and drawsParam are the parameters of a model of a simulator: its command, and the draws from
// which its likelihoods are estimated.
const (
	processParam = "process"
	drawsParam   = "likelihood-draws"
)

// sideBySide is the number of workers where a simulator answers: their steps go into one request.
const sideBySide = 64

// simulator is a model that another program simulates, given by --process.
type simulator struct {
	command string
	draws   int
	model   bcpace.Model // once it is started
	asked   *process.Model
	err     error // of the start
}

// flags adds the flags of a simulator to those of an environment, in whose place it stands.
func (s *simulator) flags(f *flags) {
	f.value(processParam, "COMMAND", "in place of --env, a program that simulates the model by lines of JSON, such as \"python3 walk.py\"; its words are separated by spaces, and quotes keep the spaces of a word (\"python3 'my walk.py'\") "+
		"(bcpace/process/README.md describes the protocol)", func(words string) error {
		if f.given["env"] {
			return errors.New("--env is given, too: give one of the two")
		}
		if _, err := process.Words(words); err != nil {
			return err
		}
		f.given["env"] = true
		return text(&s.command)(words)
	})
	f.value(drawsParam, "N", "with --process, estimate likelihoods from N draws, for a simulator that does not know them", whole(&s.draws))
}

// start starts the simulator, unless it was started before. It ends with this program, which
// is the end of its input. ctx is for the start alone, which is not tried twice.
func (s *simulator) start(ctx context.Context) (bcpace.Model, error) {
	if s.model != nil || s.err != nil {
		return s.model, s.err
	}
	var m bcpace.Model
	if s.asked, m, s.err = process.Open(ctx, s.command, s.draws); s.err != nil {
		return nil, s.err
	}
	s.model = bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) {
		a.Spec.Params = withNumber([]bcpace.Param{{Key: processParam, Value: s.command}}, drawsParam, s.draws)
	})
	return s.model, nil
}

// finder returns what makes the model of what was saved: the simulator, if one is given.
func (s *simulator) finder(ctx context.Context) runs.ModelFinder {
	if s.command == "" {
		return modelFinder(ctx)
	}
	return func(name string, params []bcpace.Param) (bcpace.Model, error) {
		m, err := s.start(ctx)
		if err != nil {
			return nil, err
		}
		if len(params) == 0 || params[0].Key != processParam {
			return nil, misuse("--%s is for what was saved of a simulator, and this is of %s: leave it out", processParam, name)
		}
		return m, nil
	}
}

// declared says where a simulator has its horizon from.
const declared = "the horizon of a simulator is what its program says in the answer to hello (\"horizon\": 200)"

// needEnd adds to the error of a solver for a simulator that has neither a horizon nor a discount below 1 what gives it one.
func (s *simulator) needEnd(err error) error {
	if s.model == nil || !s.model.Spec().Goal || !errors.As(err, new(*bcpace.UnsupportedError)) {
		return err
	}
	return fmt.Errorf("%w: %s, and then policy-search takes it", err, declared)
}
