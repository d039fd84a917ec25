package cmd

import (
	"context"
	"errors"

	"bayescpace/bcpace/act"
)

var actVerb = verb{
	name: "act", doc: "answer states or observations with actions, beliefs and bounds, a line of JSON each",
	usage: "(--run FILE | --policy FILE [--model FILE]) [--process COMMAND] [--seed N]",
	examples: []string{
		"act --run tiger.bcp",
		"act --policy careful.json",
	},
	args: func() arguments { return new(actArgs) },
}

// actArgs are the flags of act.
type actArgs struct {
	saved savedArgs
	seed  uint64
}

func (a *actArgs) flags(f *flags) {
	f.section("policy")
	a.saved.flags(f, ". A line of standard input such as {\"state\": [0]} begins an episode, and {\"reward\": -1, \"next\": [1]} says what followed the "+
		"action of the last answer; where another one was taken, \"action\" has its name or number. A policy of a POMDP, as in a .policy file, takes what is seen: a value of each visible variable in both lists, "+
		"and behind these, in \"next\", the observation. {\"ask\": \"hello\"} is answered by what the lists hold. A line of standard output has the action, its name, its controls, the belief, or an error, after which all is as before")
	f.value("seed", "N", "seed of the random numbers of policies that draw (default 0)", unsigned(&a.seed))
}

// agent is what acts: by the observations of a POMDP where the policy is for the tables of a file, and by states where not.
func (s *saved) agent(ctx context.Context, seed uint64) (*act.Agent, error) {
	if v := s.vectors; v != nil {
		return act.NewVectors(v.Model, v.Policy, v.Filter, seed)
	}
	if s.found != nil {
		return act.NewObserver(ctx, s.tables, s.found.Model, s.found.Policy)
	}
	return act.New(s.model, s.policy, seed)
}

// act is the verb act.
func (a *actArgs) run(p program, f *flags) error {
	s, err := a.saved.open(p, f)
	if err != nil {
		return err
	}
	agent, err := s.agent(p.ctx, a.seed)
	if err != nil {
		return err
	}
	defer a.saved.simulated.asked.Within(p.ctx)()
	_, err = await(p.ctx, func() (struct{}, error) { return struct{}{}, agent.Serve(p.ctx, p.stdin, p.stdout) })
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted")
	}
	return err
}

// await returns what work returns, or the error of ctx where that ends first. The work
// then continues, and its result is lost: that is for the end of the program.
func await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := work()
		done <- outcome{result, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}
