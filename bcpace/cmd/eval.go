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

var evalVerb = newVerb[evalArgs]("eval", "play episodes with a policy and report the mean return",
	"(--run FILE | --policy FILE [--model FILE [--property TEXT]] | (--env NAME [--set KEY=VALUE]… [--samples N] | --model FILE [--property TEXT] | --process COMMAND) [--algorithm NAME] [solve's flags]) [--episodes N] [--horizon T] [--seed N] [--json]",
	"eval --run tiger.bcp --episodes 10000 --horizon 100 --seed 2",
	"eval --env tiger --algorithm qmdp --horizon 100 --json",
	"eval --policy careful.json --episodes 10000",
	"eval --model data/tiger.pomdpx --policy tiger.policy",
	"eval --env tiger --algorithm pomcp --budget 1000 --episodes 100 --horizon 100",
	"eval --env light-dark-1d --algorithm pomcpow --budget 1s --particles 10000 --episodes 100")

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

	controls any  // what the controller earns that is played; nil of any other policy
	filtered bool // the belief is that of a filter, for a hidden vector
	timed    bool // nothing is solved before, so that --timeout is the time of the episodes
}

// beside are the flags that go with --run and --policy.
var beside = []string{"run", "policy", "model", "property", "env", processParam, drawsParam, "episodes", "horizon", "seed", "workers", "json"}

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
	how, err := a.check(p, f)
	if err != nil {
		return err
	}
	if err := cmp.Or(checkEpisodes(a.episodes, 1), solverkit.CheckHorizon("options", "--horizon", a.horizon, "the default"),
		solverkit.CheckWorkers("options", "--workers", a.problem.workers, "episodes side by side")); err != nil {
		return err
	}
	progress := p.progress(f.json)
	play, err := a.player(p, f, how, progress)
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
		if err := f.printTable(p.stdout, a.facts(r, orNil(simulated.Deaths()))); err != nil {
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
	return bcpace.In("options").Need(n >= least && n <= maxEpisodes, "--episodes", n, fmt.Sprintf("a number from %d to %d", least, maxEpisodes))
}

// check returns the algorithm, of a policy that is not saved, or a *usageError for flags that
// do not go together.
func (a *evalArgs) check(p program, f *flags) (how solvers.Info, err error) {
	for _, name := range []string{"run", "policy"} {
		switch {
		case f.given[name] && f.given["env"] && !f.given[processParam]:
			return how, f.clash("--"+name, "env")
		case f.given[name]:
			return how, f.only("--"+name, beside)
		}
	}
	if !f.given["env"] && !f.given["model"] {
		return how, misuse("--run, --env or --model is missing")
	}
	a.problem.played = max(a.horizon, 0)
	return a.problem.check(p, f)
}

// player reads the run or the policy, or finds one, and returns what plays it.
func (a *evalArgs) player(p program, f *flags, how solvers.Info, progress *progressLine) (problem.EpisodePlayer, error) {
	if f.given["run"] || f.given["policy"] {
		a.saved.model, a.saved.property, a.saved.simulated = a.problem.env.file, a.problem.env.property, a.problem.env.simulated
		s, err := a.saved.open(p, f)
		if err != nil {
			return nil, err
		}
		a.filtered, a.controls = s.vectors != nil, s.controls
		return s.play, nil
	}
	t, err := a.problem.task(p.ctx, f, how)
	if err != nil {
		return nil, err
	}
	s, err := a.problem.solve(p, t, progress)
	if err != nil {
		return nil, err
	}
	if s.hint != "" { // what is played is not the policy that was asked for
		p.say(string(s.Stop) + ": " + s.hint)
	}
	_, a.filtered = t.solver.(solvers.Planner)
	a.timed = s.Stop == stop.Unsolved
	return s.Play, s.fault
}

// facts are what an evaluation has found. A change of a key or meaning breaks what reads the JSON.
func (a *evalArgs) facts(r eval.Result, deaths any) facts {
	wide, _ := eval.RangeInterval(r.Returns, r.Range[0], r.Range[1]) // null where a return is outside
	draws, took := orNil(a.problem.env.samples), seconds{number(r.Elapsed.Seconds())}
	rate, surprises, cut := none, any(nil), ground("")
	if r.Simulations > 0 {
		rate = number(float64(r.Simulations) / r.Elapsed.Seconds())
	}
	if a.filtered {
		surprises = r.Surprises
	}
	if math.IsInf(r.Truncation, 1) && r.Cut > 0 { // nothing bounds what they would still have earned
		cut = ground(fmt.Sprintf("%d episodes that had not ended: what they would still have earned is not in the mean", r.Cut))
	}
	return facts{
		{"mean", "mean", number(r.Mean)},
		{"stderr", "stderr", number(r.StdErr)},
		{"ci95", "ci95", intervalOf(r.CI95)},
		{"ci95_by", "ci95 by", string(r.CI95By)},
		{"range95", "range95", intervalOf(wide)}, // of the kind eval.ByRange
		{"episodes", "episodes", r.Episodes},
		{"horizon", "horizon", r.Horizon},
		{"cut", "", r.Cut}, // episodes that had not ended after so many steps
		{"", "cut", cut},
		{"seconds", "", took},
		{"", "draws", draws},
		{"mean_total", "total", number(r.MeanTotal)},
		{"simulations_per_second", "simulations/s", maybe{rate}}, // of all workers together; null for a policy that does not plan online
		// The mean length of the intervals that decisions give for the optimal value, in reward units; null for a policy that gives none.
		{"mean_interval_width", "interval", maybe{number(r.MeanInterval)}},
		{"draws", "", draws},                     // without --samples there is no such key
		{"surprises", "surprises", surprises},    // steps that no particle explained; without a hidden vector there is no such key
		{"controller", "controller", a.controls}, // the value of a controller, by computation; without one there is no such key
		{"", "seconds", took},
		{"simulator", "warning", deaths}, // how often processes of --process died; where none did, there is no such key
	}
}
