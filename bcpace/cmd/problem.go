package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
	"bayescpace/bcpace/settings"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
)

// problem is what is to be solved, and how, as given by flags.
type problem struct {
	env       environment
	file      string       // of --model
	pomdp     *pomdp.Model // read from it
	bamdp     bcpace.Model // nil where it is none
	notBAMDP  error        // and why
	played    int          // steps of an episode of eval: the horizon where the discount is 1
	algorithm string
	byDefault bool // the user names no algorithm
	plays     bool // the verb plays episodes, with the same seed
	elsewhere bool // workers are to play rollouts, as they do for bayes-cpace
	asRun     bool // what is found is to be saved as a run
	asPolicy  bool // or in a .policy file
	tuning    tuning
	seed      uint64
	workers   int
	timeout   time.Duration
	deadline  time.Time // once the timeout runs
	keys      []string  // of the parameters that the verb has
}

// flags adds the flags of a problem to f, without those in leave.
func (x *problem) flags(f *flags, leave ...string) {
	f.section("problem")
	x.env.flags(f, "")
	f.value("model", "FILE", "model file in place of --env, .pomdp or .pomdpx", text(&x.file))
	f.section("algorithm")
	f.value("algorithm", "NAME", algorithmDoc(), text(&x.algorithm))
	x.tuning.flag(f, solvers.Param{Key: epsilonKey, Arg: "E", Doc: epsilonDoc()})
	f.value("seed", "N", "seed of the random numbers (default 0)", unsigned(&x.seed))
	f.value("timeout", "D", "end the exploration after a time such as 30s, the reading of a model file included, and keep what there is", duration(&x.timeout))
	f.value("workers", "N", "episodes side by side; 0 for one per processor; changes the time, never the result", whole(&x.workers))
	x.tuning.flag(f, solvers.Param{Key: bonusKey, Arg: "B", Doc: "weight β of the bonus of pomdp-lite and beb, in reward units (default 1% of the range of rewards, of beb 10%)"})
	f.section("exploration (without these, settings tuned for the environment)")
	for _, p := range parameters() {
		if !slices.Contains(leave, p.Key) {
			x.keys = append(x.keys, p.Key)
			x.tuning.flag(f, p)
		}
	}
}

// check reads the model file, where there is one, and returns the algorithm, or a
// *usageError for flags that do not go together.
func (x *problem) check(ctx context.Context, f *flags) (solvers.Info, error) {
	switch {
	case f.given["model"] && (f.given["env"] || f.given["set"]):
		return solvers.Info{}, misuse("--model and --env contradict each other: give one model")
	case f.given["model"]:
		if err := f.clash("--model", "samples"); err != nil {
			return solvers.Info{}, err
		}
		if err := x.read(ctx); err != nil {
			return solvers.Info{}, err
		}
	case !f.given["env"]:
		return solvers.Info{}, misuse("--env or --model is missing")
	}
	if !f.given["algorithm"] {
		x.algorithm, x.byDefault = x.defaultAlgorithm(f), true
	}
	a, ok := solvers.Find(x.algorithm)
	if !ok {
		return a, misuse("unknown algorithm %q, want one of %s", x.algorithm, strings.Join(solvers.Names(), ", "))
	}
	return a, x.checkIdle(f, a)
}

// checkIdle returns a *usageError for a flag that the solver does not read. The seed is
// for the episodes too where the verb plays some, for latents that are drawn, and without
// --algorithm for whatever solver is chosen.
func (x *problem) checkIdle(f *flags, a solvers.Info) error {
	for _, key := range append([]string{epsilonKey, seedKey, bonusKey}, x.keys...) {
		if _, reads := a.Param(key); !f.given[key] || reads || x.limits(key) || key == seedKey && (x.plays || x.byDefault || x.env.samples > 0) {
			continue
		}
		return misuse("--%s and --algorithm %s contradict each other: leave out --%s, or take %s", key, a.Name, key, strings.Join(readers(key), " or "))
	}
	return nil
}

// readers returns the names of the solvers that read a parameter.
func readers(key string) (names []string) {
	for _, x := range solvers.List() {
		if _, reads := x.Param(key); reads {
			names = append(names, x.Name)
		}
	}
	return names
}

// limits says that a key is the horizon of a model file, which every solver reads.
func (x *problem) limits(key string) bool { return key == horizonKey && x.pomdp != nil }

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
	m.Horizon = x.tuning.horizon()
	if err := bcpace.CheckHorizon("options", "--horizon", m.Horizon, "none"); err != nil {
		return err
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

// defaultAlgorithm returns the algorithm if the user names none. It is certified, with
// these exceptions:
//
//   - bayes-cpace for a model that does not list the successors of a state, and if a flag
//     is for bayes-cpace alone, as one for an engine is;
//   - sarsop for a model file that holds no BAMDP, for one with many latents unless the
//     user saves a run, and for any model file if the user writes a .policy file.
//
// For a model file, solve also falls back to sarsop if certified does not support the
// BAMDP.
func (x *problem) defaultAlgorithm(f *flags) string {
	certified, _ := solvers.Find(solvers.Certified)
	if x.elsewhere {
		return solvers.BayesCPACE
	}
	for _, key := range x.keys {
		if _, reads := certified.Param(key); f.given[key] && !reads && !x.limits(key) {
			return solvers.BayesCPACE
		}
	}
	if x.notBAMDP != nil || x.asPolicy && x.pomdp != nil {
		return solvers.SARSOP
	}
	m, err := x.model()
	if err != nil {
		return certified.Name // task reports what is wrong
	}
	if x.pomdp != nil && len(m.Spec().Latents) > manyLatents && !x.asRun {
		return solvers.SARSOP
	}
	if _, ok := m.(bcpace.Enumerator); !ok {
		return solvers.BayesCPACE
	}
	return certified.Name
}

// model returns the environment, or the BAMDP of the model file, which may be nil.
func (x *problem) model() (bcpace.Model, error) {
	if x.pomdp != nil {
		return x.bamdp, nil
	}
	return x.env.model(x.seed)
}

// task makes the model and the solver, and what to keep.
func (x *problem) task(f *flags, a solvers.Info) (task, error) {
	m, err := x.model()
	if err != nil {
		return task{}, err
	}
	t := task{model: m, pomdp: x.pomdp, control: x.control(), seed: x.seed, keep: f.given["out"]}
	tuned := m
	if m == nil {
		tuned = describe(x.pomdp)
	}
	if t.solver, err = solvers.New(a.Name, tuned); err != nil {
		return task{}, err
	}
	if _, tables := t.solver.(pomdp.Solver); m == nil && !tables {
		return task{}, fmt.Errorf("%s needs a Bayes-adaptive MDP: %w", a.Name, x.notBAMDP)
	}
	if t.solver, err = x.apply(f, t.solver); err != nil {
		return task{}, err
	}
	if t.keep && a.SavesPolicy {
		t.solver, err = solvers.Set(t.solver, solverkit.Unrevealed, "true")
	}
	return t, err
}

// control returns how to work.
func (x *problem) control() bcpace.Control {
	return bcpace.Control{Workers: x.workers}
}

// checkWorkers returns an error for a number of episodes side by side that cannot be.
func checkWorkers(n int) error {
	return bcpace.CheckWorkers("options", "--workers", n, "episodes side by side")
}

// apply returns s with the parameters that the flags set.
func (x *problem) apply(f *flags, s bcpace.Solver) (bcpace.Solver, error) {
	if err := checkWorkers(x.workers); err != nil {
		return nil, err
	}
	if f.given["timeout"] && x.timeout <= 0 {
		return nil, inputError("--timeout", x.timeout.String(), "a time above 0; without the flag there is no limit")
	}
	name := s.Name()
	s, err := x.tuning.apply(s, x.pomdp != nil)
	if err != nil {
		return nil, byFlag(err, name)
	}
	if a, _ := solvers.Find(name); f.given[seedKey] {
		if _, has := a.Param(seedKey); has {
			return solvers.Set(s, seedKey, strconv.FormatUint(x.seed, 10))
		}
	}
	return s, nil
}

// suggest gives bayes-cpace the settings that a look at the model of a file suggests, if no
// flag says anything of them, and returns their reasons.
func (x *problem) suggest(ctx context.Context, t *task) ([]settings.Reason, error) {
	o, ok := t.solver.(cpace.Solver)
	ok = ok && x.pomdp != nil && t.resume == nil
	for _, g := range x.tuning.given {
		ok = ok && x.limits(g.key)
	}
	if !ok {
		return nil, nil
	}
	s, err := settings.Suggest(ctx, t.model)
	if err != nil {
		return nil, err
	}
	s.Options.Seed = o.Seed
	t.solver = s.Options
	return s.Reasons, nil
}

// phase says what a solver computes before it begins, and how much of it is done.
func phase(now bcpace.Progress) string {
	if now.Share < 0 {
		return now.Phase
	}
	return fmt.Sprintf("%s, %.0f%%", now.Phase, 100*now.Share)
}

// solve runs the algorithm within the time allowed.
func (x *problem) solve(p program, t task, progress *progressLine) (*solution, error) {
	a, _ := solvers.Find(t.solver.Name())
	ctx, cancel := x.limited(p.ctx)
	defer cancel()
	t.control.Progress = func(now bcpace.Progress) {
		if now.Phase != "" {
			progress.show("%s: %s", a.Name, phase(now))
			return
		}
		if now.Patience == 0 {
			progress.show("%s: %d trials, %d samples, gap %s", a.Name, now.Episodes, now.Samples, number(now.Gap))
			return
		}
		progress.show("%s: %d episodes of at most %d steps, %d samples, %.0f%% of the last steps known, %d of %d quiet, value %s",
			a.Name, now.Episodes, now.Horizon, now.Samples, 100*now.Known, now.Quiet, now.Patience, number(now.Value))
	}
	begin := time.Now()
	reasons, err := x.suggest(ctx, &t)
	var s *solution
	if err == nil && t.replace != "" {
		err = checkReplaced(t.replace, t.model, t.solver)
	}
	if err == nil {
		s, err = t.solve(ctx)
	}
	if unsupported := (*bcpace.UnsupportedError)(nil); x.byDefault && t.pomdp != nil && errors.As(err, &unsupported) {
		a, _ = solvers.Find(solvers.SARSOP)
		if t.solver, err = solvers.New(a.Name, describe(t.pomdp)); err == nil {
			if t.solver, err = x.tuning.apply(t.solver, true); err == nil {
				s, err = t.solve(ctx)
			}
		}
	}
	progress.clear()
	if ended := ctx.Err(); err == nil && ended != nil && s.nothing(t.keep) {
		err = ended
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("out of time after %v, before there was anything to keep: %s; %s", x.timeout, a.Begins(), moreTime(a))
	case errors.Is(err, context.Canceled):
		return nil, fmt.Errorf("interrupted before there was anything to keep: %s", a.Begins())
	case err != nil:
		return nil, byFlag(err, a.Name)
	case !s.Value.finite() && !s.plans:
		return nil, fmt.Errorf("the value is %v: numbers have overflowed; give a smaller --lipschitz or --alpha", float64(s.Value))
	}
	if s.inSetUp {
		s.hint = fmt.Sprintf("%s, and has no policy yet: in its place is %s; %s", a.Begins(), s.standIn, moreTime(a))
	}
	s.Algorithm, s.Seed, s.Draws = a.Name, t.seed, x.env.draws()
	if reasons != nil {
		if s.Notes == nil {
			s.Notes = &notes{}
		}
		s.Notes.Settings = settingsOf(reasons)
	}
	if t.model != nil {
		s.Model = t.model.Spec().Name
	} else {
		s.Model = t.pomdp.Name
	}
	s.Seconds = number(time.Since(begin).Seconds())
	return s, nil
}
