package cmd

import (
	"fmt"
	"io"

	"bayescpace/bcpace/check"
)

var checkVerb = verb{
	name: "check", doc: "try a model against its contract, as a simulator of your own",
	usage:    "(--process COMMAND [--likelihood-draws N] | --env NAME [--set KEY=VALUE]…) [--seed N] [--json]",
	examples: []string{"check --process ./walk.py"},
	flags:    func() *flags { return new(checkArgs).flags() },
	run:      checkModel,
}

// checked is the JSON of the verb check.
type checked struct {
	Model      string       `json:"model"`
	States     int          `json:"states"`
	Tests      []check.Test `json:"tests"`
	Notes      []string     `json:"notes"`
	FalseAlarm float64      `json:"false_alarm"`
}

// checkArgs are the flags of check.
type checkArgs struct {
	env  environment
	seed uint64
	json bool
}

func (a *checkArgs) flags() *flags {
	f := newFlags()
	f.section("model")
	a.env.flags(f, "")
	f.value("seed", "N", "seed of the random numbers (default 0)", unsigned(&a.seed))
	f.section("output")
	jsonFlag(f, &a.json)
	return f
}

// checkModel is the verb check.
func checkModel(p program, args []string) error {
	var a checkArgs
	f := a.flags()
	if err := f.parse(args); err != nil {
		return err
	}
	if !f.given["env"] {
		return misuse("--process or --env is missing")
	}
	m, err := a.env.model(p.ctx, a.seed)
	if err != nil {
		return err
	}
	o := check.Options{Seed: a.seed}
	if f.given[processParam] { // whose steps are asked for one by one, and take the longer
		o.Transitions, o.Draws = 50, 1000
	}
	r, err := await(p.ctx, func() (*check.Report, error) {
		r, err := check.Examine(m, o)
		if asked := a.env.simulated.asked; err == nil && asked != nil {
			r.Notes, err = asked.Check(r.Notes)
		}
		return r, err
	})
	if err != nil {
		return interrupted(err)
	}
	if a.json {
		return writeJSON(p.stdout, checked{r.Model, r.States, r.Tests, append([]string{}, r.Notes...), r.FalseAlarm})
	}
	return write(p.stdout, func(w io.Writer) { fmt.Fprintln(w, r) })
}
