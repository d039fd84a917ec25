package cmd

import (
	"errors"
	"fmt"
	"io"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/constrained"
)

// limitResult is what solve --limit has found.
type limitResult struct {
	Algorithm string `json:"algorithm"` // for one multiplier
	Model     string `json:"model"`
	Loss      number `json:"loss"`
	Limit     number `json:"limit"`
	Lower     number `json:"lower"`
	Upper     number `json:"upper"`
	LowerBy   string `json:"lower_by"`
	UpperBy   string `json:"upper_by"`
	Cost      number `json:"cost"`
	Worth     number `json:"worth"`
	Solved    int    `json:"solved"`
	Seconds   number `json:"seconds"`
	Stop      string `json:"stop"`
}

// solveLimit looks for the policy that earns most with few losses.
func (a *solveArgs) solveLimit(p program, f *flags, t task) error {
	if !f.given["loss"] || !f.given["limit"] {
		return misuse("--limit LOSSES goes with --loss R: of steps that pay R or less, so many are expected at most")
	}
	if math.IsNaN(a.loss) {
		return inputError("--loss", a.loss, "a reward")
	}
	q, err := a.ask(p, f, t, "limit", 8)
	if err != nil {
		return err
	}
	defer q.end()
	s := constrained.Solver{Cost: constrained.Losses("number of losses", a.loss), Limit: a.limit, Epsilon: q.epsilon, Seed: t.seed}
	if f.given["algorithm"] || bcpace.AbilitiesOf(q.model).Successors == nil { // certified needs these
		s.Inner = q.inner
	}
	found, err := s.Solve(q.ctx, q.model, q.control("multipliers"))
	if err = q.ended(err); err != nil {
		return err
	}
	c := found.Certificate
	return errors.Join(limitResult{Algorithm: q.inner.Name(), Model: q.model.Spec().Name, Loss: number(a.loss), Limit: number(a.limit), Lower: number(c.Lower), Upper: number(c.Upper), LowerBy: string(c.LowerBy), UpperBy: string(c.UpperBy),
		Cost: number(found.Cost), Worth: number(found.Multiplier), Solved: len(found.Points), Seconds: q.seconds(), Stop: string(found.Stop)}.print(p.stdout, a.json), q.save(found.Policy, c, found.Stop))
}

// print writes the result as JSON or as a table.
func (r limitResult) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return writeJSON(w, r)
	}
	return printTable(w, func(row func(...any)) {
		row("algorithm", "constrained, with "+r.Algorithm)
		row("model", r.Model)
		row("limit", fmt.Sprintf("%s steps that pay %s or less, discounted", r.Limit, r.Loss))
		row("lower", r.Lower.atLeast())
		row("upper", r.Upper.atMost())
		row("lower by", r.LowerBy)
		row("upper by", r.UpperBy)
		row("losses", r.Cost.atMost()+" with the policy, at most")
		if r.Worth.finite() {
			row("worth", r.Worth.String()+": about what one more is worth")
		}
		row("solved", fmt.Sprintf("%d multipliers", r.Solved))
		row("seconds", r.Seconds.seconds())
		row("stop", r.Stop)
	})
}
