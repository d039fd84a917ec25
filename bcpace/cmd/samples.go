package cmd

import (
	"context"
	"errors"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/problem"
)

// environment is an environment as the flags give it.
type environment struct {
	name    string
	params  []bcpace.Param
	samples int // 0 without the flag

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

// model makes the environment. If the parameter that lists the latents has a distribution,
// the seed draws them. The error is a *usageError for a distribution without --samples and
// for the contrary.
func (e *environment) model(ctx context.Context, seed uint64) (bcpace.Model, error) {
	switch x := &e.simulated; {
	case x.command != "" && (len(e.params) > 0 || e.samples > 0):
		return nil, misuse("--process and --set or --samples contradict each other: they are for --env")
	case x.command != "":
		return x.start(ctx)
	case x.draws != 0:
		return nil, misuse("--likelihood-draws needs --process")
	}
	m, err := problem.Environment(e.name, e.params, e.samples, seed)
	if errors.Is(err, problem.ErrSamples) {
		return nil, misuse("--samples and --set: %v", err)
	}
	return m, err
}
