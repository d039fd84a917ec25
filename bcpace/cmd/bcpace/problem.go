package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
	"bayescpace/envs"
)

// problem is what is to be solved, and how, as given by flags.
type problem struct {
	env       string
	params    []bcpace.Param
	file      string       // of --model
	pomdp     *pomdp.Model // read from it
	bamdp     bcpace.Model // nil where it is none
	notBAMDP  error        // and why
	played    int          // steps of an episode of eval: the horizon where the discount is 1
	bonus     float64
	algorithm string
	fitted    bool // the algorithm is not the user's choice
	asRun     bool // what is found is to be saved as a run
	asPolicy  bool // or in a .policy file
	tuning    tuning
	seed      uint64
	workers   int
	timeout   time.Duration
	deadline  time.Time // once the timeout runs
	knobs     []knob    // of the exploration, as far as the verb has them
}

// maxWorkers is more than helps anywhere; each worker has its own memory.
const maxWorkers = 1024

// flags adds the flags of a problem to f, without those in leave.
func (x *problem) flags(f *flags, leave ...string) {
	f.section("problem")
	f.value("env", "NAME", "environment; bcpace envs lists them", text(&x.env))
	f.params(&x.params)
	f.value("model", "FILE", "model file in place of --env, .pomdp or .pomdpx", text(&x.file))
	f.section("algorithm")
	f.value("algorithm", "NAME", algorithmDoc(), text(&x.algorithm))
	x.tuning.flag(f, epsilonKnob)
	f.value("seed", "N", "seed of the random numbers (default 0)", unsigned(&x.seed))
	f.value("timeout", "D", "end the exploration after a time such as 30s, the reading of a model file included, and keep what there is", duration(&x.timeout))
	f.value("workers", "N", "episodes side by side; 0 for one per processor; changes the time, never the result", whole(&x.workers))
	f.value("bonus", "B", "weight β of pomdp-lite's bonus, in reward units (default 1% of the range of rewards)", float(&x.bonus))
	f.section("exploration (without these, settings tuned for the environment)")
	for _, k := range knobs {
		if !slices.Contains(leave, k.flag) {
			x.knobs = append(x.knobs, k)
			x.tuning.flag(f, k)
		}
	}
}

// check reads the model file, where there is one, and returns the algorithm, or a
// *usageError for flags that do not go together.
func (x *problem) check(ctx context.Context, f *flags) (algorithm, error) {
	switch {
	case f.given["model"] && (f.given["env"] || f.given["set"]):
		return algorithm{}, misuse("--model and --env contradict each other: give one model")
	case f.given["model"]:
		if err := x.read(ctx); err != nil {
			return algorithm{}, err
		}
	case !f.given["env"]:
		return algorithm{}, misuse("--env or --model is missing")
	}
	if !f.given["algorithm"] {
		x.algorithm, x.fitted = x.fitting(f), true
	}
	a, ok := findAlgorithm(x.algorithm)
	if !ok {
		return a, misuse("unknown algorithm %q, want one of %s", x.algorithm, algorithmNames())
	}
	return a, x.checkIdle(f, a)
}

// checkIdle returns a *usageError for a flag that the algorithm does not read.
func (x *problem) checkIdle(f *flags, a algorithm) error {
	var idle []string
	if a.name != pomdpLiteName {
		idle = append(idle, "bonus")
	}
	for _, k := range x.knobs {
		if !a.reads(k) && !x.limits(k) {
			idle = append(idle, k.flag)
		}
	}
	return f.clash("--algorithm "+a.name, idle...)
}

// limits says that a knob is the horizon of a model file, which every algorithm reads.
func (x *problem) limits(k knob) bool { return k.flag == horizonFlag && x.pomdp != nil }

// read reads the model file within the time allowed.
func (x *problem) read(ctx context.Context) (err error) {
	ctx, cancel := x.limited(ctx)
	defer cancel()
	if x.pomdp, err = pomdpfile.ReadFile(ctx, x.file); err == nil {
		if err := x.limitSteps(); err != nil {
			return err
		}
		x.bamdp, x.notBAMDP = asBAMDP(ctx, x.pomdp, x.file)
		err = ctx.Err()
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("out of time after %v, while reading the model %s; give more time", x.timeout, x.file)
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted while reading the model %s", x.file)
	}
	return err
}

// limited returns a context that ends with the time allowed, which runs from the
// first call on.
func (x *problem) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if x.timeout <= 0 {
		return ctx, func() {}
	}
	if x.deadline.IsZero() {
		x.deadline = time.Now().Add(x.timeout)
	}
	return context.WithDeadline(ctx, x.deadline)
}

// limitSteps gives the model the horizon asked for, which it needs where its discount
// is 1.
func (x *problem) limitSteps() error {
	m := x.pomdp
	if m.Horizon = x.tuning.horizon(); m.Horizon < 0 {
		return inputError("--horizon", fmt.Sprint(m.Horizon), "a number of steps, or 0 for none")
	}
	if m.Discount == 1 && m.Horizon == 0 {
		m.Horizon = x.played
	}
	if m.Discount == 1 && m.Horizon == 0 {
		return inputError("the discount of "+x.file, "1", "--horizon T beside it, the number of steps of an episode: without an end, values are infinite")
	}
	return nil
}

// manyLatents is how many values the hidden part of a model file may have at most
// for the certified algorithm to be the first choice. With more, SARSOP's bounds
// close faster.
const manyLatents = 100

// fitting is the algorithm where none is given: the certified one; sarsop for a
// model file that holds no BAMDP, for one with many latents unless a run is to be
// saved, for any where a .policy file is to be written, and in place of the certified one where that turns out not to support the
// BAMDP of a file; or bayes-cpace for a model that does not list what follows a
// state and where one of the flags is for bayes-cpace alone.
func (x *problem) fitting(f *flags) string {
	certified, _ := findAlgorithm(certifiedName)
	for _, k := range x.knobs {
		if f.given[k.flag] && !certified.reads(k) && !x.limits(k) {
			return cpaceName
		}
	}
	if x.notBAMDP != nil || x.asPolicy && x.pomdp != nil {
		return sarsopName
	}
	m, err := x.model()
	if err != nil {
		return certified.name // task reports what is wrong
	}
	if x.pomdp != nil && len(m.Spec().Latents) > manyLatents && !x.asRun {
		return sarsopName
	}
	if _, ok := m.(bcpace.Enumerator); !ok {
		return cpaceName
	}
	return certified.name
}

// model returns the environment, or the BAMDP of the model file, which may be nil.
func (x *problem) model() (bcpace.Model, error) {
	if x.pomdp != nil {
		return x.bamdp, nil
	}
	return envs.New(x.env, x.params)
}

// task makes the model and the options.
func (x *problem) task(f *flags, a algorithm) (task, error) {
	m, err := x.model()
	if err != nil {
		return task{}, err
	}
	tuned := m
	if m == nil {
		if a.solveTables == nil {
			return task{}, fmt.Errorf("%s needs a Bayes-adaptive MDP: %w", a.name, x.notBAMDP)
		}
		tuned = describe(x.pomdp)
	}
	o := parameters{Options: envs.Tuned(tuned)}
	if err := x.apply(f, &o); err != nil {
		return task{}, err
	}
	t := task{model: m, pomdp: x.pomdp, options: o, control: x.control(), epsilonGiven: f.given[epsilonKnob.flag]}
	if f.given["bonus"] {
		t.bonus = &x.bonus
	}
	return t, nil
}

// control returns how to work.
func (x *problem) control() bcpace.Control {
	return bcpace.Control{Workers: min(x.workers, maxWorkers)}
}

// apply puts the flags into the options of a model or of a run.
func (x *problem) apply(f *flags, o *parameters) error {
	switch err := x.tuning.apply(o); {
	case err != nil:
		return err
	case x.workers < 0:
		return inputError("--workers", fmt.Sprint(x.workers), "a number of episodes side by side, or 0 for one per processor")
	case f.given["timeout"] && x.timeout <= 0:
		return inputError("--timeout", x.timeout.String(), "a time above 0; without the flag there is no limit")
	}
	if f.given["seed"] {
		o.Seed = x.seed
	}
	return nil
}

// solve runs the algorithm within the time allowed.
func (x *problem) solve(p program, a algorithm, t task, progress *progressLine) (*solution, error) {
	ctx, cancel := x.limited(p.ctx)
	defer cancel()
	t.control.Progress = func(now bcpace.Progress) {
		if now.Epsilon > 0 {
			progress.show("%s: %d trials, %d samples, gap %s", a.name, now.Episodes, now.Samples, number(now.Gap))
			return
		}
		progress.show("%s: %d episodes, %d samples, %d of %d quiet, value %s",
			a.name, now.Episodes, now.Samples, now.Quiet, now.Patience, number(now.Value))
	}
	begin := time.Now()
	solve := a.solve
	if t.pomdp != nil && a.solveTables != nil {
		solve = a.solveTables
	}
	s, err := solve(ctx, t)
	if unsupported := (*bcpace.UnsupportedError)(nil); x.fitted && t.pomdp != nil && errors.As(err, &unsupported) {
		a, _ = findAlgorithm(sarsopName)
		s, err = a.solveTables(ctx, t)
	}
	progress.clear()
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		at, help := a.begins(err)
		return nil, fmt.Errorf("out of time after %v, before there was anything to keep: %s; %s", x.timeout, at, help)
	case errors.Is(err, context.Canceled):
		at, _ := a.begins(err)
		return nil, fmt.Errorf("interrupted before there was anything to keep: %s", at)
	case err != nil:
		return nil, byFlag(err)
	case !s.Value.finite():
		return nil, fmt.Errorf("the value is %v: numbers have overflowed; give a smaller --lipschitz or --alpha", float64(s.Value))
	}
	s.Algorithm, s.Seed = a.name, t.options.Seed
	if t.model != nil {
		s.Model = t.model.Spec().Name
	} else {
		s.Model = t.pomdp.Name
	}
	if s.player == nil {
		s.player = onModel(t.model, s.policy)
	}
	s.Seconds = number(time.Since(begin).Seconds())
	return s, nil
}
