package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

// parameters are those of the algorithms that flags set.
type parameters struct {
	bcpace.Options
	LipState float64 // of certified
}

// knob is a flag that overrides a field of the options tuned for a model.
type knob struct {
	flag, arg, doc string
	field          string // of parameters, which names it in its errors
	// notZero says what would be right instead of an explicit 0. It is "" where
	// 0 has a meaning of its own, which doc then gives.
	notZero string
	parse   func(o *parameters) func(text string) error
}

var epsilonKnob = knob{
	flag: "epsilon", arg: "E", doc: epsilonDoc(), field: "Epsilon",
	parse: func(o *parameters) func(string) error { return float(&o.Epsilon) },
}

// epsilonDoc says what ε is to each algorithm, and what it is by default.
func epsilonDoc() string {
	var tuned []string
	for _, e := range envs.List() {
		if m, err := envs.New(e.Name, nil); err == nil {
			tuned = append(tuned, fmt.Sprintf("%v for %s", envs.Tuned(m).Epsilon, e.Name))
		}
	}
	return fmt.Sprintf("in reward units: for bayes-cpace the error allowed in a known query (default %s, 1%% of the range of rewards for a model file), "+
		"for certified and sarsop the distance of the bounds (default %v; for certified where states are not numbered, that of bayes-cpace); "+
		"qmdp and pomdp-lite do without", strings.Join(tuned, ", "), certifiedGap)
}

// knobs are the flags of exploration. In eval, horizon is that of the evaluation.
var knobs = append(exploration, lipStateKnob)

// lipStateKnob is read by the certified algorithm alone.
var lipStateKnob = knob{
	flag: "lip-state", arg: "L", doc: "L_S of certified where states are not numbered, in reward units per unit of the state's distance; 0 for an estimate", field: "LipState",
	parse: func(o *parameters) func(string) error { return float(&o.LipState) },
}

// exploration are the knobs of Bayes-CPACE.
var exploration = []knob{
	{flag: "k", arg: "N", doc: "neighbours averaged in an estimate", field: "K", notZero: "a number of neighbours, 1 or more",
		parse: func(o *parameters) func(string) error { return whole(&o.K) }},
	{flag: "lipschitz", arg: "L", doc: "L_Q, in reward units per unit of distance; 0 for ½(Vmax − Vmin), which needs no assumption", field: "LipQ",
		parse: func(o *parameters) func(string) error { return float(&o.LipQ) }},
	{flag: "alpha", arg: "A", doc: "weight of the state's distance against the belief's", field: "Alpha", notZero: "α > 0",
		parse: func(o *parameters) func(string) error { return float(&o.Alpha) }},
	{flag: "bound", arg: "NAME", doc: "upper bound of the estimate: constant, best-case or qmdp", field: "Bound",
		parse: func(o *parameters) func(string) error { return text((*string)(&o.Bound)) }},
	{flag: "seed-one-hot", doc: "take the values of the latent MDPs near one-hot beliefs; =false for not", field: "SeedOneHot",
		parse: func(o *parameters) func(string) error { return boolean(&o.SeedOneHot) }},
	{flag: "beta", arg: "B", doc: "error allowed in value iteration, in reward units; 0 for convergence", field: "Beta",
		parse: func(o *parameters) func(string) error { return float(&o.Beta) }},
	{flag: "batch", arg: "N", doc: "episodes between two value iterations; 0 for one after every new sample", field: "Batch",
		parse: func(o *parameters) func(string) error { return whole(&o.Batch) }},
	{flag: horizonFlag, arg: "T", doc: "with --model the horizon of the problem, for every algorithm: nothing is earned after T steps, and the discount may be 1; " +
		"with --env the steps of an episode of bayes-cpace; 0 for none, and for what ε and the discount ask for", field: "Horizon",
		parse: func(o *parameters) func(string) error { return whole(&o.Horizon) }},
	{flag: "patience", arg: "N", doc: "episodes in a row without a new sample that end the exploration", field: "Patience", notZero: "a number of episodes, 1 or more",
		parse: func(o *parameters) func(string) error { return whole(&o.Patience) }},
	{flag: "max-samples", arg: "N", doc: "most samples; 0 for no limit", field: "MaxSamples",
		parse: func(o *parameters) func(string) error { return whole(&o.MaxSamples) }},
	{flag: "max-episodes", arg: "N", doc: "most episodes; 0 for no limit", field: "MaxEpisodes",
		parse: func(o *parameters) func(string) error { return whole(&o.MaxEpisodes) }},
}

// limits are the knobs of an algorithm that only needs to be told when to end.
var limits = exploration[len(exploration)-2:] // max-samples and max-episodes

// tuning collects the knobs that were turned.
type tuning struct{ turned []turn }

type turn struct {
	knob knob
	text string
}

// flag adds a knob to f. Its text is tried at once, so that one that cannot be
// read is wrong usage, and kept for when the model's options are known.
func (t *tuning) flag(f *flags, k knob) {
	parse := func(text string) error {
		t.turned = append(t.turned, turn{k, text})
		return k.parse(new(parameters))(text)
	}
	if k.arg == "" {
		f.toggle(k.flag, k.doc, parse)
	} else {
		f.value(k.flag, k.arg, k.doc, parse)
	}
}

// apply puts the knobs that were turned into o.
func (t *tuning) apply(o *parameters) error {
	for _, x := range t.turned {
		if err := x.knob.parse(o)(x.text); err != nil {
			return fmt.Errorf("--%s %q: %w", x.knob.flag, x.text, err)
		}
		if v, err := strconv.ParseFloat(x.text, 64); err == nil && v == 0 && x.knob.notZero != "" {
			return inputError("--"+x.knob.flag, x.text, x.knob.notZero)
		}
	}
	// Explore checks it too, but not every algorithm explores.
	if !(o.Epsilon > 0) || !number(o.Epsilon).finite() {
		return inputError("--epsilon", fmt.Sprint(o.Epsilon), "a finite ε > 0, in reward units")
	}
	return nil
}

// horizon returns what --horizon says, 0 without it.
func (t *tuning) horizon() int {
	var o parameters
	for _, x := range t.turned {
		if x.knob.flag == horizonFlag {
			_ = x.knob.parse(&o)(x.text) // was tried when it was read
		}
	}
	return o.Horizon
}

// horizonFlag is the flag of exploration that says something of the problem for a
// model file.
const horizonFlag = "horizon"

// inputError is an error about a flag's value.
func inputError(flag, got, want string) error {
	return &bcpace.InputError{Where: "options", What: flag, Got: got, Want: want}
}

// byFlag names the flags in an error that names fields of bcpace.Options.
func byFlag(err error) error {
	input := (*bcpace.InputError)(nil)
	if !errors.As(err, &input) || input.Where != "options" {
		return err
	}
	names := strings.Split(input.What, ", ")
	for i, name := range names {
		for _, k := range append([]knob{epsilonKnob, {flag: "seed", field: "Seed"}}, knobs...) {
			if k.field == name {
				names[i] = "--" + k.flag
			}
		}
	}
	return inputError(strings.Join(names, ", "), input.Got, input.Want)
}
