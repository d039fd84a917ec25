package cmd

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"bayescpace/bcpace/choose"
	"bayescpace/bcpace/eval"
)

var adviseVerb = newVerb[adviseArgs]("advise", "say which algorithm suits a problem, and what to expect of it",
	"(--env NAME [--set KEY=VALUE]… [--samples N] | --model FILE [--property TEXT] | --process COMMAND) [--algorithm NAME] [--timeout D] [--json] [exploration flags]",
	"advise --env chain",
	"advise --env tiger --algorithm bayes-cpace --epsilon 1 --k 1",
	"advise --model data/tiger.pomdpx --json")

// some is x, or none for 0.
func some(x float64) number {
	if x == 0 {
		return none
	}
	return number(x)
}

// adviseArgs are the flags of advise.
type adviseArgs struct {
	problem problemArgs
}

func (a *adviseArgs) flags(f *flags) {
	a.problem.flags(f)
	f.output()
}

// advise is the verb advise.
func (a *adviseArgs) run(p program, f *flags) error {
	x := &a.problem
	t, err := x.prepare(p, f)
	if err != nil {
		return err
	}
	schedule, err := choose.ScheduleOf(t.problem.Model, t.named(), x.why, x.timeout)
	if err != nil {
		return err
	}
	if t.problem.Model == nil { // at which no look can be taken
		return x.printAdvice(p, f, choose.Recommendation{Solver: t.solver, Why: x.why}, choose.Forecast{Model: t.problem.Spec().Name}, schedule, schedule.String())
	}
	ctx, cancel := x.limited(p.ctx)
	defer cancel()
	r, err := choose.Recommend(ctx, t.problem.Model)
	if err != nil {
		return cmp.Or(x.env.simulated.asked.Err(), x.env.simulated.needEnd(interrupted(err)))
	}
	if x.byDefault {
		t.solver = r.Solver
	} else {
		r.Solver, r.Why = t.solver, ""
	}
	forecast, err := choose.Foresee(ctx, t.problem.Model, t.solver)
	if err != nil {
		return byFlag(interrupted(err), t.solver)
	}
	return x.printAdvice(p, f, *r, *forecast, schedule, strings.Join([]string{r.String(), forecast.String(), schedule.String()}, "\n\n"))
}

// printAdvice prints what is advised, or text for people. A change of a key or meaning breaks what reads the JSON.
func (pa *problemArgs) printAdvice(p program, f *flags, r choose.Recommendation, e choose.Forecast, s *choose.Schedule, text string) error {
	earned := each(r.Earned, func(s eval.Score) facts {
		return facts{{"policy", "", s.Name}, {"mean", "", number(s.Mean)}, {"ci95", "", intervalOf(s.CI95)}, {"ci95_by", "", string(s.CI95By)}}
	})
	// What the algorithm does not have is null.
	expect := facts{{"horizon", "", some(float64(e.Horizon))}, {"known_radius", "", some(e.Radius)}, {"spread", "", some(e.Spread)}, {"samples", "", some(float64(e.Samples))},
		{"points", "", some(float64(e.SetUp.Points))}, {"bytes", "", some(e.SetUp.Bytes)}, {"set_up_seconds", "", some(e.SetUp.Time.Seconds())}}
	if len(e.Warnings) > 0 {
		expect = append(expect, fact{"warnings", "", e.Warnings})
	}
	return f.printText(p.stdout, facts{
		{"model", "", e.Model},
		{"algorithm", "", r.Solver.Name()},
		{"why", "", ground(r.Why)}, // null for an algorithm that the user names
		{"earned", "", earned},
		{"expect", "", expect},
		{"settings", "", r.Reasons},
		{"schedule", "", s.Parts},            // what solve does with the same flags, in order
		{"draws", "", orNil(pa.env.samples)}, // without --samples there is no such key
	}, func(w io.Writer) { fmt.Fprintln(w, text) })
}
