package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/fields"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
	"bayescpace/bcpace/stop"
)

// question is another one than that for the largest mean, with a solver around one of the usual ones.
type question struct {
	flag     string
	asked    string // in the words of a policy file
	out      string // where the policy is saved; "" for nowhere
	program  program
	task     task
	model    bcpace.Model
	epsilon  float64
	inner    bcpace.Solver
	ctx      context.Context
	end      func()
	begin    time.Time
	timeout  time.Duration
	progress *progressLine
}

// ask reads the flags that all questions have. The inner solver gets a part of epsilon.
func (a *solveArgs) ask(p program, f *flags, t task, flag string, part float64) (*question, error) {
	others := []string{"trace"}
	for _, x := range []string{"robust", "risk", "limit", "loss"} {
		if x != flag && !(flag == "limit" && x == "loss") {
			others = append(others, x)
		}
	}
	if err := f.clash("--"+flag, others...); err != nil {
		return nil, err
	}
	if m := a.problem.read.Tables; flag != "robust" && m != nil && m.MeanRewards {
		return nil, &bcpace.UnsupportedError{Model: m.Name, Algorithm: "--" + flag, Need: "rewards that depend on the state and the action alone: those of this file depend on what follows, and the model has their means, which says nothing of single returns. Outcomes of a Go program have them one by one"}
	}
	if t.problem.Model == nil {
		return nil, fmt.Errorf("--%s needs a Bayes-adaptive MDP: %w", flag, t.problem.NoBAMDP)
	}
	if !f.given["epsilon"] {
		return nil, misuse("--epsilon is missing: beside --%s it is how far apart the bounds may be", flag)
	}
	how, _ := solvers.Find(t.solver.Name())
	key := solverkit.Epsilon.Key
	param, _ := how.Param(key) // which it has, as --epsilon goes with it
	epsilon, err := numtext.Float(a.problem.tuning.text(key))
	if err != nil {
		return nil, err
	}
	inner, err := fields.Set(t.solver, param, numtext.Exact(epsilon/part))
	if err != nil {
		return nil, byFlag(err, how.Name)
	}
	if _, finite := bcpace.AsFinite(bcpace.KeepHorizon(t.problem.Model)); t.keep && !finite {
		return nil, misuse("--out and --%s: the policy of a model whose states are no list cannot be kept in a file: leave out --out", flag)
	}
	asked := a.asked(flag)
	if t.replace != "" {
		if err := checkReplaced(t.replace, t.problem, inner, asked); err != nil {
			return nil, err
		}
	}
	q := &question{flag: flag, asked: asked, out: a.out, program: p, task: t, model: t.problem.Model, epsilon: epsilon, inner: inner, begin: time.Now(), timeout: a.problem.timeout, progress: p.progress(a.json)}
	q.ctx, q.end = a.problem.limited(p.ctx)
	return q, nil
}

// control shows the progress, in which solved is what the solver counts.
func (q *question) control(solved string) bcpace.Control {
	c := q.task.control
	c.Progress = func(now bcpace.Progress) {
		if now.Phase != "" {
			q.progress.show("%s: %s", q.flag, now.Phase)
			return
		}
		q.progress.show("%s: %d %s, gap %s", q.flag, now.Episodes, solved, number(now.Gap))
	}
	return c
}

// ended returns the error of a question that has been answered.
func (q *question) ended(err error) error {
	q.progress.clear()
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("out of time after %v, before there was anything to keep: give more time", q.timeout)
	case err != nil:
		return byFlag(err, q.inner.Name())
	}
	return nil
}

// asked says what is asked by a flag, as a policy file does.
func (a *solveArgs) asked(flag string) string {
	switch flag {
	case "robust":
		return flag + " " + a.priors.String()
	case "risk":
		return flag + " " + a.risk.String()
	}
	return fmt.Sprintf("%s %s loss %s", flag, numtext.Exact(a.limit), numtext.Exact(a.loss))
}

// save saves the policy that was found, if it is to be.
func (q *question) save(policy bcpace.Policy, c bcpace.Certificate, why stop.Reason) error {
	if q.out == "" {
		return nil
	}
	kept, err := q.task.keepPolicy(q.inner, policy, false, q.asked, problem.ClaimOf(c.Lower, c, why))
	return save(q.out, kept, err)
}

func (q *question) seconds() number { return number(time.Since(q.begin).Seconds()) }
