package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/constrained"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/risk"
	"bayescpace/bcpace/robust"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
)

// questionArgs are the flags that ask for another objective than the largest expected return.
type questionArgs struct {
	priors robust.PriorSet
	risk   riskAsked
	limit  float64
	loss   float64
}

func (a *questionArgs) flags(f *flags) {
	f.section("other questions, with --epsilon, and --algorithm certified (the default) or sarsop")
	f.value("robust", "SET", "look for the policy that earns most under the worst prior of a set: all, or those within a radius R of the model's, as box=R (of each probability), l1=R "+
		"(the sum of differences) or kl=R (the divergence)", func(text string) error { return a.priors.UnmarshalText([]byte(text)) })
	f.value("risk", "RISK", "look for the policy with the best mean of the worst share of the returns, as cvar=SHARE, or, in a problem with a horizon, with the least probability of a return "+
		"below a number, as below=RETURN; of a finite model. The policy goes by the rewards paid so far, as it sees them, also where they tell of what is hidden", a.risk.set)
	f.value("limit", "LOSSES", "look for the policy that earns most with so many losses in the discounted mean, at most", float(&a.limit))
	f.value("loss", "R", "with --limit: a step that pays R or less is a loss", float(&a.loss))
}

// riskAsked is what --risk asks for: a share of the worst returns, or a level.
type riskAsked struct {
	chance bool
	number float64
}

// set reads what --risk asks for.
func (r *riskAsked) set(text string) (err error) {
	what, number, _ := strings.Cut(text, "=")
	if what != "cvar" && what != "below" {
		return errors.New("want cvar=SHARE or below=RETURN")
	}
	r.chance = what == "below"
	r.number, err = numtext.Float(number)
	return err
}

// flag returns the flag of the question that is asked; "" for the largest expected return.
func (a *questionArgs) flag(f *flags) string {
	switch {
	case f.given["robust"]:
		return "robust"
	case f.given["risk"]:
		return "risk"
	case f.given["limit"] || f.given["loss"]:
		return "limit"
	}
	return ""
}

// ask puts the solver of a question around that of the task.
func (a *questionArgs) ask(f *flags, x *problemArgs, t *task) error {
	flag := a.flag(f)
	if err := a.check(f, x, t, flag); err != nil {
		return err
	}
	key := solverkit.Epsilon.Key
	text, _ := x.tuning.text(key)
	epsilon, err := numtext.Float(text)
	if err != nil {
		return err
	}
	part := 4.0
	switch {
	case flag == "limit":
		part = 8
	case flag == "risk" && !a.risk.chance && a.risk.number > 0:
		part /= a.risk.number
	}
	inner, err := solvers.Set(t.solver, key, numtext.Exact(epsilon/part)) // it has one, as --epsilon goes with it
	if err != nil {
		return byFlag(err, t.solver)
	}
	switch {
	case flag == "robust":
		t.solver = robust.Solver{Set: a.priors, Seed: t.seed, Epsilon: epsilon, Inner: inner}
	case a.risk.chance:
		t.solver = risk.Chance{Level: a.risk.number, Epsilon: epsilon, Inner: inner}
	case flag == "risk":
		t.solver = risk.Solver{Share: a.risk.number, Epsilon: epsilon, Inner: inner}
	default:
		s := constrained.Solver{Cost: constrained.Losses("number of losses", a.loss), Limit: a.limit, Epsilon: epsilon, Seed: t.seed}
		if f.given["algorithm"] || bcpace.AbilitiesOf(t.problem.Model).Successors == nil { // certified needs these
			s.Inner = inner
		}
		t.solver = s
	}
	return nil
}

// check returns an error where a question cannot be asked so.
func (a *questionArgs) check(f *flags, x *problemArgs, t *task, flag string) error {
	others := slices.DeleteFunc([]string{"robust", "risk", "limit", "loss"}, func(y string) bool { return y == flag || flag == "limit" && y == "loss" })
	if err := cmp.Or(
		f.clash("--"+flag, others...),
		need(flag != "limit" || f.given["loss"] && f.given["limit"], "--limit LOSSES goes with --loss R: of steps that pay R or less, so many are expected at most"),
		bcpace.In("options").Need(flag != "limit" || !math.IsNaN(a.loss), "--loss", a.loss, "a reward")); err != nil {
		return err
	}
	if m := x.read.Tables; flag != "robust" && m != nil && m.MeanRewards {
		return &bcpace.UnsupportedError{Model: m.Name, Algorithm: "--" + flag, Need: "rewards that depend on the state and the action alone: those of this file depend on what follows, and the model has their means, which says nothing of single returns. Outcomes of a Go program have them one by one"}
	}
	if t.problem.Model == nil {
		return fmt.Errorf("--%s needs a Bayes-adaptive MDP: %w", flag, t.problem.NoBAMDP)
	}
	_, finite := bcpace.AsFinite(bcpace.KeepHorizon(t.problem.Model))
	return cmp.Or(
		need(f.given["epsilon"], "--epsilon is missing: beside --%s it is how far apart the bounds may be", flag),
		need(!t.keep || finite, "--out and --%s: the policy of a model whose states are no list cannot be kept in a file: leave out --out", flag))
}
