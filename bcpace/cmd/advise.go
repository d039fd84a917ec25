package cmd

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"bayescpace/bcpace/choose"
	"bayescpace/bcpace/runs"
)

var adviseVerb = verb{
	name: "advise", doc: "say which algorithm suits a problem, and what to expect of it",
	usage: "(--env NAME [--set KEY=VALUE]… [--samples N] | --model FILE | --process COMMAND) [--algorithm NAME] [--timeout D] [--json] [exploration flags]",
	examples: []string{
		"advise --env chain",
		"advise --env tiger --algorithm bayes-cpace --epsilon 1 --k 1",
		"advise --model data/tiger.pomdpx --json",
	},
	args: func() arguments { return new(adviseArgs) },
}

// advised is the JSON of the verb advise. A change of a name or meaning breaks what reads it.
type advised struct {
	Model     string `json:"model"`
	Algorithm string `json:"algorithm"`
	// Why is why the algorithm is recommended; null for one that the user names.
	Why    ground                 `json:"why"`
	Earned []earnedJSON           `json:"earned"`
	Expect expected               `json:"expect"`
	Set    []choose.SettingReason `json:"settings"`
	// Schedule is what solve does with the same flags, in order.
	Schedule []choose.Part `json:"schedule"`
	// Draws is the number of latents drawn with --samples; without the flag there is no such key.
	Draws int `json:"draws,omitempty"`

	text string // the same for people
}

// earnedJSON is what a policy earns.
type earnedJSON struct {
	Policy string   `json:"policy"`
	Mean   number   `json:"mean"`
	CI95   interval `json:"ci95"`
	By     string   `json:"ci95_by"`
}

// expected is a forecast. What the algorithm does not have is null.
type expected struct {
	Horizon  number         `json:"horizon"`
	Radius   number         `json:"known_radius"`
	Spread   number         `json:"spread"`
	Samples  number         `json:"samples"`
	Points   number         `json:"points"`
	Bytes    number         `json:"bytes"`
	Seconds  number         `json:"set_up_seconds"`
	Warnings []runs.Warning `json:"warnings,omitempty"`
}

func expectedOf(f choose.Forecast) expected {
	u := f.SetUp
	return expected{Horizon: some(float64(f.Horizon)), Radius: some(f.Radius), Spread: some(f.Spread), Samples: some(float64(f.Samples)),
		Points: some(float64(u.Points)), Bytes: some(u.Bytes), Seconds: some(u.Time.Seconds()), Warnings: f.Warnings}
}

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
		out := advised{Model: t.problem.Spec().Name, Algorithm: t.solver.Name(), Why: ground(x.why), Expect: expectedOf(choose.Forecast{}), Schedule: schedule.Parts, text: schedule.String()}
		return f.printText(p.stdout, out, out.people)
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
	out := advised{Model: forecast.Model, Algorithm: t.solver.Name(), Why: ground(r.Why), Set: r.Reasons, Draws: x.env.samples, Schedule: schedule.Parts, text: strings.Join([]string{r.String(), forecast.String(), schedule.String()}, "\n\n"),
		Expect: expectedOf(*forecast)}
	for _, e := range r.Earned {
		out.Earned = append(out.Earned, earnedJSON{e.Name, number(e.Mean), intervalOf(e.CI95), string(e.CI95By)})
	}
	return f.printText(p.stdout, out, out.people)
}

func (a advised) people(w io.Writer) { fmt.Fprintln(w, a.text) }
