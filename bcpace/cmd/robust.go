package cmd

import (
	"errors"
	"fmt"
	"io"

	"bayescpace/bcpace/robust"
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
	q, err := a.ask(p, f, t, "robust", 4)
	if err != nil {
		return err
	}
	defer q.end()
	s := robust.Solver{Set: a.priors, Seed: t.seed, Epsilon: q.epsilon, Inner: q.inner}
	found, err := s.Solve(q.ctx, q.model, q.control("priors"))
	if err = q.ended(err); err != nil {
		return err
	}
	c := found.Certificate
	r := robustResult{Algorithm: q.inner.Name(), Model: q.model.Spec().Name, Priors: a.priors.String(), Lower: number(c.Lower), Upper: number(c.Upper), LowerBy: string(c.LowerBy), UpperBy: string(c.UpperBy),
		Nominal: number(found.Nominal), Solved: len(found.Planes), Seconds: q.seconds(), Stop: string(found.Stop)}
	for φ, name := range q.model.Spec().Latents {
		r.Latents = append(r.Latents, latentRow{name, number(found.Prior[φ]), number(found.Values[φ])})
	}
	return errors.Join(r.print(p.stdout, a.json), q.save(found.Policy, c, found.Stop))
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
