package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/internal/rollout"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
	"bayescpace/bcpace/stop"
)

var evalVerb = verb{
	name: "eval", doc: "play episodes with a policy and report the mean return",
	usage: "(--run FILE | --policy FILE [--model FILE] | (--env NAME [--set KEY=VALUE]… [--samples N] | --model FILE | --process COMMAND) [--algorithm NAME] [solve's flags]) [--episodes N] [--horizon T] [--seed N] [--json]",
	examples: []string{
		"eval --run tiger.bcp --episodes 10000 --horizon 100 --seed 2",
		"eval --env tiger --algorithm qmdp --horizon 100 --json",
		"eval --policy careful.json --episodes 10000",
		"eval --model data/tiger.pomdpx --policy tiger.policy",
		"eval --env tiger --algorithm pomcp --budget 1000 --episodes 100 --horizon 100",
		"eval --env light-dark-1d --algorithm pomcpow --budget 1s --particles 10000 --episodes 100",
	},
	args: func() arguments { return new(evalArgs) },
}

// evaluation is the JSON of the verb eval. A change of a name or meaning breaks
// what reads it.
type evaluation struct {
	Mean   number    `json:"mean"`
	StdErr number    `json:"stderr"`
	CI95   [2]number `json:"ci95"`
	// CI95By is an eval.IntervalKind, and Range95 the interval of that kind ByRange.
	CI95By   string    `json:"ci95_by"`
	Range95  [2]number `json:"range95"`
	Episodes int       `json:"episodes"`
	Horizon  int       `json:"horizon"`
	// Cut is how many episodes had not ended after so many steps.
	Cut     int    `json:"cut"`
	Seconds number `json:"seconds"`
	// MeanTotal is the mean sum of rewards, without the discount.
	MeanTotal number `json:"mean_total"`
	// SimulationsPerSecond is of all workers together; null for a policy that does not plan
	// online.
	SimulationsPerSecond number `json:"simulations_per_second"`
	// MeanIntervalWidth is the mean length of the intervals that decisions give for the optimal
	// value, in reward units; null for a policy that gives none.
	MeanIntervalWidth number `json:"mean_interval_width"`
	// Draws is the number of latents drawn with --samples; without the flag there is no such key.
	Draws *int `json:"draws,omitempty"`
	// Surprises counts the steps that no particle of the belief explained, in an environment with a hidden vector; elsewhere
	// there is no such key.
	Surprises *int `json:"surprises,omitempty"`
	// Simulator says how often processes of --process died; where none did, there is no such key.
	Simulator ground `json:"simulator,omitempty"`

	unbounded bool // nothing bounds what episodes that were cut would still have earned
}

const (
	defaultEpisodes = 1000
	maxEpisodes     = 10_000_000 // each keeps its return: 200 MB or so
)

// evalArgs are the flags of eval.
type evalArgs struct {
	saved    savedArgs
	problem  problemArgs
	episodes int
	horizon  int

	filtered bool // the belief is that of a filter, for a hidden vector
	timed    bool // nothing is solved before, so that --timeout is the time of the episodes
}

// beside are the flags that go with --run and --policy.
var beside = []string{"run", "policy", "model", "env", processParam, drawsParam, "episodes", "horizon", "seed", "workers", "json"}

func (a *evalArgs) flags(f *flags) {
	a.episodes = defaultEpisodes
	f.section("evaluation")
	f.value("run", "FILE", "what bcpace solve --out has saved, a run or a policy; in place of --env and what goes with it", text(&a.saved.run))
	a.saved.policyFlags(f)
	f.value("episodes", "N", fmt.Sprintf("episodes played (default %d)", defaultEpisodes), whole(&a.episodes))
	f.value("horizon", "T", "steps after which an episode is cut, at most the horizon of the model or the run; 0, the default, for that or where the rest is negligible; for a model file with discount 1 also what the policy is made for, and without it 10,000 for episodes that end by themselves", whole(&a.horizon))
	a.problem.plays = true
	a.problem.flags(f, "horizon") // here, T is the evaluation's
	f.output()
}

// evaluate is the verb eval.
func (a *evalArgs) run(p program, f *flags) error {
	source, err := a.source(p, f)
	if err != nil {
		return err
	}
	if err := cmp.Or(checkEpisodes(a.episodes, 1), solverkit.CheckHorizon("options", "--horizon", a.horizon, "the default"),
		solverkit.CheckWorkers("options", "--workers", a.problem.workers, "episodes side by side")); err != nil {
		return err
	}
	progress := p.progress(f.json)
	play, err := source(p, progress)
	if err != nil {
		return err
	}
	simulated := cmp.Or(a.saved.simulated.asked, a.problem.env.simulated.asked)
	defer simulated.Within(p.ctx)()
	ctx, end := p.ctx, func() {}
	if a.timed {
		ctx, end = a.problem.limited(ctx)
	}
	defer end()
	r, err := play(ctx, eval.Options{
		Episodes: a.episodes, Horizon: a.horizon, Seed: a.problem.seed, Workers: a.problem.workers,
		Progress: func(done int) { progress.show("evaluating: %d of %d episodes", done, a.episodes) },
	})
	progress.clear()
	err = byParam(err, []solvers.Param{{Key: particlesKey, Field: "Number"}})
	cut := ctx.Err() != nil && errors.Is(err, ctx.Err())
	if input := (*bcpace.InputError)(nil); errors.As(err, &input) && input.What == "Horizon" {
		return inputError("--horizon", input.Got, input.Want)
	}
	if err != nil && !cut {
		return err
	}
	if r.Episodes > 0 { // of an interrupted evaluation, those that were finished
		rate, surprises := none, &r.Surprises
		if !a.filtered {
			surprises = nil
		}
		if r.Simulations > 0 {
			rate = number(float64(r.Simulations) / r.Elapsed.Seconds())
		}
		wide, _ := eval.RangeInterval(r.Returns, r.Range[0], r.Range[1]) // null where a return is outside
		err := f.printTable(p.stdout, evaluation{
			MeanTotal: number(r.MeanTotal), SimulationsPerSecond: rate, MeanIntervalWidth: number(r.MeanInterval),
			Mean: number(r.Mean), StdErr: number(r.StdErr),
			CI95: [2]number{number(r.CI95[0]), number(r.CI95[1])}, CI95By: string(r.CI95By), Range95: [2]number{number(wide[0]), number(wide[1])},
			Episodes: r.Episodes, Horizon: r.Horizon, Cut: r.Cut, unbounded: math.IsInf(r.Truncation, 1), Seconds: number(r.Elapsed.Seconds()), Draws: a.problem.env.draws(), Surprises: surprises, Simulator: ground(simulated.Deaths()),
		})
		if err != nil {
			return err
		}
	}
	switch why := stop.Of(ctx); {
	case cut && r.Episodes == 0:
		return fmt.Errorf("%s before %d of %d episodes had ended, the fewest whose mean says something", why, rollout.Fewest(a.episodes), a.episodes)
	case cut:
		return fmt.Errorf("%s after %d of %d episodes", why, r.Episodes, a.episodes)
	}
	return nil
}

// checkEpisodes returns an error for a number of episodes that cannot be.
func checkEpisodes(n, least int) error {
	if n < least || n > maxEpisodes {
		return inputError("--episodes", n, fmt.Sprintf("a number from %d to %d", least, maxEpisodes))
	}
	return nil
}

// rolloutSource returns the function that plays the policy to evaluate.
type rolloutSource func(p program, progress *progressLine) (problem.EpisodePlayer, error)

// source returns where the policy comes from, or a *usageError for flags that
// do not go together.
func (a *evalArgs) source(p program, f *flags) (rolloutSource, error) {
	switch {
	case f.given["env"] && !f.given[processParam] && f.given["run"]:
		return nil, f.clash("--run", "env")
	case f.given["env"] && !f.given[processParam] && f.given["policy"]:
		return nil, f.clash("--policy", "env")
	case f.given["run"]:
		return a.fromSaved(f), f.only("--run", beside)
	case f.given["policy"]:
		return a.fromSaved(f), f.only("--policy", beside)
	}
	if !f.given["env"] && !f.given["model"] {
		return nil, misuse("--run, --env or --model is missing")
	}
	a.problem.played = max(a.horizon, 0)
	how, err := a.problem.check(p, f)
	if err != nil {
		return nil, err
	}
	return func(p program, progress *progressLine) (problem.EpisodePlayer, error) {
		t, err := a.problem.task(p.ctx, f, how)
		if err != nil {
			return nil, err
		}
		s, err := a.problem.solve(p, t, progress)
		if err != nil {
			return nil, err
		}
		if s.hint != "" { // what is played is not the policy that was asked for
			fmt.Fprintf(p.stderr, "bcpace: %s\n", oneLine(s.Stop+": "+s.hint))
		}
		_, a.filtered = t.solver.(solvers.Planner)
		a.timed = s.Stop == string(stop.Unsolved)
		return s.rollouts, s.fault
	}, nil
}

// fromSaved reads the run or the policy.
func (a *evalArgs) fromSaved(f *flags) rolloutSource {
	return func(p program, _ *progressLine) (problem.EpisodePlayer, error) {
		a.saved.model, a.saved.simulated = a.problem.env.file, a.problem.env.simulated
		s, err := a.saved.open(p, f)
		if err != nil {
			return nil, err
		}
		a.filtered = s.vectors != nil
		return s.play, nil
	}
}

func (e evaluation) rows(row func(...any)) {
	row("mean", e.Mean)
	row("stderr", e.StdErr)
	row("ci95", fmt.Sprintf("[%s, %s]", e.CI95[0], e.CI95[1]))
	row("ci95 by", e.CI95By)
	row("range95", fmt.Sprintf("[%s, %s]", e.Range95[0], e.Range95[1]))
	row("episodes", e.Episodes)
	row("horizon", e.Horizon)
	if e.unbounded && e.Cut > 0 {
		row("cut", fmt.Sprintf("%d episodes that had not ended: what they would still have earned is not in the mean", e.Cut))
	}
	row("draws", countIfAny(e.Draws))
	row("total", e.MeanTotal)
	row("simulations/s", e.SimulationsPerSecond.ifAny())
	row("interval", e.MeanIntervalWidth.ifAny())
	row("surprises", countIfAny(e.Surprises))
	row("seconds", e.Seconds.seconds())
	row("warning", e.Simulator)
}
