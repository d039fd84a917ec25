package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/fields"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/robust"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
)

// robustResult is what solve --robust has found.
type robustResult struct {
	Algorithm string      `json:"algorithm"` // for one prior
	Model     string      `json:"model"`
	Priors    string      `json:"priors"`
	Lower     number      `json:"lower"`
	Upper     number      `json:"upper"`
	LowerBy   string      `json:"lower_by"`
	UpperBy   string      `json:"upper_by"`
	Nominal   number      `json:"nominal"`
	Latents   []latentRow `json:"latents"`
	Solved    int         `json:"solved"`
	Seconds   number      `json:"seconds"`
	Stop      string      `json:"stop"`
}

// latentRow is what is known of a latent.
type latentRow struct {
	Latent string `json:"latent"`
	Prior  number `json:"prior"` // in the least favourable prior
	Earns  number `json:"earns"` // by the policy under this latent, at least
}

// set reads a set of priors.
func set(x *robust.Set) func(string) error {
	return func(text string) (err error) {
		*x, err = robust.ParseSet(text)
		return err
	}
}

// solveRobust looks for the policy that earns most under the worst prior.
func (a *solveArgs) solveRobust(p program, f *flags, t task) error {
	if err := f.clash("--robust", "out", "trace", "model"); err != nil {
		return err
	}
	if !f.given["epsilon"] {
		return misuse("--epsilon is missing: beside --robust it is how far apart the bounds of the robust value may be")
	}
	if t.best {
		inner, err := t.problem.Solver(solvers.Certified)
		if err != nil {
			return err
		}
		t.solver = inner
	}
	how, _ := solvers.Find(t.solver.Name())
	key := solverkit.Epsilon.Key
	param, _ := how.Param(key) // which it has, as --epsilon goes with it
	epsilon, err := numtext.Float(a.problem.tuning.text(key))
	if err != nil {
		return err
	}
	inner, err := fields.Set(t.solver, param, numtext.Exact(epsilon/4))
	if err != nil {
		return byFlag(err, how.Name)
	}
	s := robust.Solver{Set: a.priors, Seed: t.seed, Epsilon: epsilon, Inner: inner}
	ctx, cancel := a.problem.limited(p.ctx)
	defer cancel()
	progress := p.progress(a.json)
	t.control.Progress = func(now bcpace.Progress) {
		if now.Phase != "" {
			progress.show("robust: %s", now.Phase)
			return
		}
		progress.show("robust: %d priors, gap %s", now.Episodes, number(now.Gap))
	}
	begin, m := time.Now(), t.problem.Model
	found, err := s.Solve(ctx, m, t.control)
	progress.clear()
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("out of time after %v, before there was anything to keep: give more time", a.problem.timeout)
	}
	if err != nil {
		return byFlag(err, t.solver.Name())
	}
	c := found.Certificate
	r := robustResult{Algorithm: s.Inner.Name(), Model: m.Spec().Name, Priors: a.priors.String(), Lower: number(c.Lower), Upper: number(c.Upper), LowerBy: string(c.LowerBy), UpperBy: string(c.UpperBy),
		Nominal: number(found.Nominal), Solved: len(found.Planes), Seconds: number(time.Since(begin).Seconds()), Stop: string(found.Stop)}
	for φ, name := range m.Spec().Latents {
		r.Latents = append(r.Latents, latentRow{name, number(found.Prior[φ]), number(found.Values[φ])})
	}
	return r.print(p.stdout, a.json)
}

// print writes the result as JSON or as a table.
func (r robustResult) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return writeJSON(w, r)
	}
	return write(w, func(w io.Writer) {
		table(w, func(row func(...any)) {
			row("algorithm", "robust, with "+r.Algorithm)
			row("model", r.Model)
			row("priors", r.Priors)
			row("lower", r.Lower.atLeast())
			row("upper", r.Upper.atMost())
			row("lower by", r.LowerBy)
			row("upper by", r.UpperBy)
			row("nominal", fmt.Sprintf("%s: what the policy for the model's own prior earns under the worst one, at least", r.Nominal.atLeast()))
			row("solved", fmt.Sprintf("%d priors", r.Solved))
			row("seconds", r.Seconds.seconds())
			row("stop", r.Stop)
		})
		fmt.Fprintln(w)
		table(w, func(row func(...any)) {
			row("latent", "worst prior", "earns at least")
			for _, l := range r.Latents {
				row(l.Latent, l.Prior, l.Earns.atLeast())
			}
		})
	})
}
