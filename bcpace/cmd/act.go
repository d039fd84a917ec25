package cmd

import (
	"context"
	"errors"

	"bayescpace/bcpace/act"
)

var actVerb = verb{
	name: "act", doc: "answer states with actions, beliefs and bounds, a line of JSON each",
	usage: "--run FILE [--seed N]",
	examples: []string{
		"act --run tiger.bcp",
	},
	flags: func() *flags { return new(actArgs).flags() },
	run:   (program).act,
}

// actArgs are the flags of act.
type actArgs struct {
	run  string
	seed uint64
}

func (a *actArgs) flags() *flags {
	f := newFlags()
	f.section("policy")
	f.value("run", "FILE", "run saved by bcpace solve --out. A line of standard input such as {\"state\": [0]} begins an episode, and {\"reward\": -1, \"next\": [1]} says what followed the "+
		"action of the last answer; where another one was taken, \"action\" has its name or number. A line of standard output has the action, its name, its controls, the belief, or an error, after which all is as before", text(&a.run))
	f.value("seed", "N", "seed of the random numbers of policies that draw (default 0)", unsigned(&a.seed))
	return f
}

// act is the verb act.
func (p program) act(args []string) error {
	var a actArgs
	f := a.flags()
	r, err := parseRun(p, f, args, &a.run)
	if err != nil {
		return err
	}
	agent, err := act.New(r.Model(), r.Policy(), a.seed)
	if err != nil {
		return err
	}
	_, err = await(p.ctx, func() (struct{}, error) { return struct{}{}, agent.Serve(p.ctx, p.stdin, p.stdout) })
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted")
	}
	return err
}
