package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"bayescpace/bcpace/check"
)

var checkVerb = verb{
	name: "check", doc: "try a model against its contract, as a simulator of your own",
	usage:    "(--process COMMAND [--likelihood-draws N] | --env NAME [--set KEY=VALUE]… | --model FILE) [--seed N] [--timeout D] [--json]",
	examples: []string{"check --process ./walk.py"},
	args:     func() arguments { return new(checkArgs) },
}

// checked is the JSON of the verb check.
type checked struct {
	Model      string       `json:"model"`
	States     int          `json:"states"`
	Tests      []check.Test `json:"tests"`
	Notes      []string     `json:"notes"`
	FalseAlarm float64      `json:"false_alarm"`
	Cut        bool         `json:"cut"`
}

// checkArgs are the flags of check.
type checkArgs struct {
	env  environment
	seed uint64
	time time.Duration
}

// checkTime is how long a check may take, if the user says nothing of it.
const checkTime = 5 * time.Minute

func (a *checkArgs) flags(f *flags) {
	f.section("model")
	a.env.flags(f, "")
	a.env.fileFlag(f)
	f.value("seed", "N", "seed of the random numbers (default 0)", unsigned(&a.seed))
	f.value("timeout", "D", "time after which the check ends, and says what it has not tried, such as 30s (default 5m)", timeLimit(&a.time))
	f.section("output")
	f.jsonFlag()
}

// checkModel is the verb check.
func (a *checkArgs) run(p program, f *flags) error {
	if !f.given["env"] && !f.given["model"] {
		return misuse("--process, --env or --model is missing")
	}
	ctx, cancel := context.WithTimeout(p.ctx, cmp.Or(a.time, checkTime))
	defer cancel()
	m, err := a.env.problem(ctx, a.seed)
	if err != nil {
		return err
	}
	until := p.ctx // a check of a model says what it has not tried
	if m.Model == nil {
		if until = ctx; m.Hidden == nil {
			return m.NoHidden
		}
	}
	simulated := a.env.simulated.asked
	defer simulated.Within(ctx)()
	o := check.Options{Seed: a.seed}
	if f.given[processParam] { // whose steps are asked for one by one, and take the longer
		o.Transitions, o.Draws = 50, 1000
	}
	r, err := await(until, func() (*check.Report, error) {
		if m.Model == nil {
			return check.Hidden(m.Hidden, check.HiddenOptions{Seed: a.seed})
		}
		r, err := check.Within(ctx, m.Model, o)
		if err == nil && simulated != nil && !r.Cut {
			r.Notes, err = simulated.Check(r.Notes)
		}
		if deaths := simulated.Deaths(); err == nil && deaths != "" {
			err = fmt.Errorf("model %q: %s", r.Model, deaths)
		}
		return r, err
	})
	if err == nil || errors.Is(err, context.DeadlineExceeded) {
		err = cmp.Or(simulated.Err(), err)
	}
	switch {
	case err == context.DeadlineExceeded:
		return errors.New("out of time before the check could say anything: give more time")
	case err != nil:
		return interrupted(err)
	}
	out := checked{r.Model, r.States, r.Tests, append([]string{}, r.Notes...), r.FalseAlarm, r.Cut}
	return f.printText(p.stdout, out, func(w io.Writer) { fmt.Fprintln(w, r) })
}
