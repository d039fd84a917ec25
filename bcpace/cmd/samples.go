package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/problem"
)

// environment is an environment as the flags give it.
type environment struct {
	name    string
	params  []bcpace.Param
	samples int    // 0 without the flag
	file    string // of --model, in place of the rest

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

// draws returns how many latents were drawn, nil if none were.
func (e *environment) draws() *int {
	if e.samples == 0 {
		return nil
	}
	return &e.samples
}

// fileFlag adds the flag of a model file, which stands in place of an environment.
func (e *environment) fileFlag(f *flags) {
	f.value("model", "FILE", "model file in place of --env, .pomdp or .pomdpx", text(&e.file))
}

// problem makes the environment, or reads the model file. If the parameter that lists the latents has a distribution,
// the seed draws them. The error is a *usageError for a distribution without --samples and
// for the contrary.
func (e *environment) problem(ctx context.Context, seed uint64) (p problem.Problem, err error) {
	switch x := &e.simulated; {
	case e.file != "" && (e.name != "" || x.command != "" || len(e.params) > 0 || e.samples > 0 || x.draws != 0):
		return p, misuse("--model and what is for --env or --process contradict each other: give one model")
	case e.file != "":
		p, err = problemOfFile(ctx, e.file, fileParams(e.file, 0))
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
