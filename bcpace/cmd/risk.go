package cmd

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/risk"
	"bayescpace/bcpace/stop"
)

// riskAsked is what --risk asks for: a share of the worst returns, or a level.
type riskAsked struct {
	chance bool
	number float64
}

func (r riskAsked) String() string {
	if r.chance {
		return "below=" + numtext.Exact(r.number)
	}
	return "cvar=" + numtext.Exact(r.number)
}

// riskOf reads what --risk asks for.
func riskOf(x *riskAsked) func(string) error {
	return func(text string) (err error) {
		what, number, _ := strings.Cut(text, "=")
		if what != "cvar" && what != "below" {
			return errors.New("want cvar=SHARE or below=RETURN")
		}
		x.chance = what == "below"
		x.number, err = numtext.Float(number)
		return err
	}
}

// riskResult is what solve --risk has found.
type riskResult struct {
	Algorithm string `json:"algorithm"` // for one level
	Model     string `json:"model"`
	Risk      string `json:"risk"`
	Lower     number `json:"lower"`
	Upper     number `json:"upper"`
	LowerBy   string `json:"lower_by"`
	UpperBy   string `json:"upper_by"`
	Level     number `json:"level"`
	Solved    int    `json:"solved"`
	Seconds   number `json:"seconds"`
	Stop      string `json:"stop"`
}

// solveRisk looks for the policy of least risk.
func (a *solveArgs) solveRisk(p program, f *flags, t task) error {
	part := 4.0
	if !a.risk.chance && a.risk.number > 0 {
		part /= a.risk.number
	}
	q, err := a.ask(p, f, t, "risk", part)
	if err != nil {
		return err
	}
	defer q.end()
	r := riskResult{Algorithm: q.inner.Name(), Model: q.model.Spec().Name, Risk: a.risk.String(), Level: number(a.risk.number), Solved: 1}
	var why stop.Reason
	var policy bcpace.Policy
	var c bcpace.Certificate
	if a.risk.chance {
		found, err := risk.Chance{Level: a.risk.number, Epsilon: q.epsilon, Inner: q.inner}.Solve(q.ctx, q.model, q.control("cells"))
		if err = q.ended(err); err != nil {
			return err
		}
		c = bcpace.Certificate{Kind: bcpace.ExactCertificate, Lower: found.Lower, Upper: found.Upper, LowerBy: found.LowerBy, UpperBy: bcpace.ByProof, PolicyEarns: bcpace.ByProof}
		policy, why = found.Policy, found.Stop
	} else {
		found, err := risk.Solver{Share: a.risk.number, Epsilon: q.epsilon, Inner: q.inner}.Solve(q.ctx, q.model, q.control("levels"))
		if err = q.ended(err); err != nil {
			return err
		}
		r.Level, r.Solved = number(found.Level), len(found.Levels)
		c, policy, why = found.Certificate, found.Policy, found.Stop
	}
	r.Lower, r.Upper, r.LowerBy, r.UpperBy = number(c.Lower), number(c.Upper), string(c.LowerBy), string(c.UpperBy)
	r.Seconds, r.Stop = q.seconds(), string(why)
	return errors.Join(r.print(p.stdout, a), q.save(policy, c, why))
}

// print writes the result as JSON or as a table.
func (r riskResult) print(w io.Writer, a *solveArgs) error {
	if a.json {
		return writeJSON(w, r)
	}
	what, level := "the mean of the worst "+numtext.Exact(a.risk.number)+" of the returns", "the return below which they lie, about"
	if a.risk.chance {
		what, level = "the probability of a return below "+numtext.Exact(a.risk.number), "the return that counts"
	}
	return printTable(w, func(row func(...any)) {
		row("algorithm", "risk, with "+r.Algorithm)
		row("model", r.Model)
		row("bounds of", what)
		row("lower", r.Lower.atLeast())
		row("upper", r.Upper.atMost())
		row("lower by", r.LowerBy)
		row("upper by", r.UpperBy)
		row("level", fmt.Sprintf("%s: %s", r.Level, level))
		row("solved", numtext.Several(r.Solved, "level"))
		row("seconds", r.Seconds.seconds())
		row("stop", r.Stop)
	})
}
