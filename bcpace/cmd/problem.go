package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/choose"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
)

// problemArgs is what is to be solved, and how, as given by flags.
type problemArgs struct {
	env       environment
	read      problem.Problem // from it
	played    int             // steps of an episode of eval: the horizon where the discount is 1
	algorithm string
	byDefault bool   // the user names no algorithm
	why       string // it is this one then
	plays     bool   // the verb plays episodes, with the same seed
	asPolicy  bool   // what is found is to be saved in a .policy file
	tuning    tuning
	seed      uint64
	workers   int
	timeout   time.Duration
	deadline  time.Time // once the timeout runs
	keys      []string  // of the parameters that the verb has
	particles int       // of the belief of a planner
}

// flags adds the flags of a problem to f, without those in leave.
func (pa *problemArgs) flags(f *flags, leave ...string) {
	f.section("problem")
	pa.env.flags(f, "")
	pa.env.fileFlag(f)
	f.section("algorithm")
	f.value("algorithm", "NAME", algorithmDoc(), text(&pa.algorithm))
	pa.tuning.flag(f, solvers.Param{Key: epsilonKey, Arg: "E", Doc: epsilonDoc()})
	f.value("seed", "N", "seed of the random numbers (default 0)", unsigned(&pa.seed))
	f.value("timeout", "D", "end the exploration, or the episodes of a planner, after a time such as 30s, the reading of a model file included, and keep what there is", timeLimit(&pa.timeout))
	f.value("workers", "N", "episodes side by side; 0 for one per processor; changes the time, never the result", whole(&pa.workers))
	pa.tuning.flag(f, solvers.Param{Key: bonusKey, Arg: "B", Doc: "weight β of the bonus of pomdp-lite and beb, in reward units (default 1% of the range of rewards, of beb 10%)"})
	f.section("exploration (without these, settings tuned for the environment)")
	all := parameters(nil, solvers.List())
	for _, p := range all {
		if !slices.Contains(leave, p.Key) {
			pa.keys = append(pa.keys, p.Key)
			pa.tuning.flag(f, p)
		}
	}
	f.section("planners for a hidden vector, beside the flags above that they read, of a model file that is no Bayes-adaptive MDP and of " + strings.Join(hiddenNames(), ", "))
	f.value(particlesKey, "N", "particles of the belief; without it 1000, or up to 20000 where all that is hidden are whole numbers, or an unscented Kalman filter in their place where the environment states normal noise", whole(&pa.particles))
	for _, p := range parameters(all, solvers.ListPlanners())[len(all):] {
		pa.keys = append(pa.keys, p.Key)
		pa.tuning.flag(f, p)
	}
}

// plans says that the algorithm is a planner for a hidden vector.
func (pa *problemArgs) plans() bool {
	return isHidden(pa.env.name) || pa.read.Tables != nil && pa.read.Plans(pa.algorithm)
}

// check reads the model file, where there is one, and returns the algorithm, or a
// *usageError for flags that do not go together.
func (pa *problemArgs) check(p program, f *flags) (solvers.Info, error) {
	switch {
	case f.given["model"] && (f.given["env"] || f.given["set"]):
		return solvers.Info{}, misuse("--model and --env contradict each other: give one model")
	case f.given["model"]:
		err := f.clash("--model", "samples", drawsParam)
		if err == nil {
			err = pa.readFile(p.ctx)
		}
		if err != nil {
			return solvers.Info{}, err
		}
		p.note(pa.read.Tables)
	case !f.given["env"]:
		return solvers.Info{}, misuse("--env or --model is missing")
	}
	if f.given[processParam] && !f.given["workers"] {
		pa.workers = sideBySide
	}
	if !f.given["algorithm"] {
		pa.algorithm, pa.why = pa.defaultAlgorithm(p.ctx, f)
		pa.byDefault = true
	}
	a, ok := solvers.Find(pa.algorithm)
	plans := pa.plans()
	if plans {
		a, ok = solvers.FindPlanner(pa.algorithm)
	}
	if err := cmp.Or(
		need(ok || !plans, "environment %s has a hidden vector, for which there is no algorithm %q: want %s", pa.env.name, pa.algorithm, numtext.OneOf(pa.algorithm, solvers.PlannerNames())),
		need(ok, "unknown algorithm %q, want %s", pa.algorithm, numtext.OneOf(pa.algorithm, solvers.Names())),
		need(!a.Asks(), "--algorithm %s answers another question than that for the largest mean: solve asks it with --robust, --limit or --risk, and --out keeps the policy for other verbs", a.Name)); err != nil {
		return a, err
	}
	return a, pa.checkIdle(f, a)
}

// checkIdle returns a *usageError for a flag that the solver does not read. The seed is
// for the episodes too where the verb plays some, for latents that are drawn, and without
// --algorithm for whatever solver is chosen.
func (pa *problemArgs) checkIdle(f *flags, a solvers.Info) error {
	planners := pa.plans()
	for _, key := range append([]string{epsilonKey, seedKey, bonusKey, particlesKey}, pa.keys...) {
		if _, reads := a.Param(key); !f.given[key] || reads || planners && key == particlesKey || pa.limits(key) || key == seedKey && (pa.plays || pa.byDefault || pa.env.samples > 0) {
			continue
		}
		if key == horizonKey && pa.env.simulated.command != "" {
			return misuse("--%s beside --%s is for the episodes of %s, and %s has none: leave it out; %s", key, processParam, solvers.BayesCPACE, a.Name, declared)
		}
		switch names := readers(key, planners); {
		case len(names) > 0:
			return misuse("--%s and --algorithm %s contradict each other: leave out --%s, or take %s", key, a.Name, key, strings.Join(names, " or "))
		case planners:
			return misuse("--%s and --algorithm %s contradict each other: leave out --%s", key, a.Name, key)
		}
		return misuse("--%s is for an environment with a hidden vector: leave it out, or take one of %s", key, strings.Join(hiddenNames(), ", "))
	}
	return nil
}

// readers returns the names of the solvers, or of the planners for a hidden vector, that read a parameter.
func readers(key string, planners bool) (names []string) {
	list := solvers.List()
	if planners {
		list = solvers.ListPlanners()
	}
	for _, x := range list {
		if _, reads := x.Param(key); reads {
			names = append(names, x.Name)
		}
	}
	return names
}

// limits says that a key is the horizon of a model file, which every solver reads.
func (pa *problemArgs) limits(key string) bool { return key == horizonKey && pa.read.Tables != nil }

// readFile reads the model file within the time allowed.
func (pa *problemArgs) readFile(ctx context.Context) error {
	ctx, cancel := pa.limited(ctx)
	defer cancel()
	m, err := problem.ReadModel(ctx, pa.env.file, pa.env.property)
	if err == nil {
		text, _ := pa.tuning.text(horizonKey)
		m.Horizon, _ = numtext.Whole(text) // what was given was tried when it was read
		if err := solverkit.CheckHorizon("options", "--horizon", m.Horizon, "none"); err != nil {
			return err
		}
		problem.LimitSteps(m, pa.played)
		pa.read, err = ofFile(ctx, m, pa.env.file, pa.env.property)
	}
	return cutOff(err, fmt.Errorf("out of time after %v, while reading the model %s; give more time", pa.timeout, pa.env.file),
		fmt.Errorf("interrupted while reading the model %s", pa.env.file))
}

// limited returns a context that ends with the time allowed, which runs from the
// first call on. What is asked of a simulator ends with it.
func (pa *problemArgs) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	cancel := func() {}
	if pa.timeout > 0 {
		if pa.deadline.IsZero() {
			pa.deadline = time.Now().Add(pa.timeout)
		}
		ctx, cancel = context.WithDeadline(ctx, pa.deadline)
	}
	leave := pa.env.simulated.asked.Within(ctx)
	return ctx, func() { leave(); cancel() }
}

// defaultAlgorithm returns the algorithm if the user names none, and why it is that one.
func (pa *problemArgs) defaultAlgorithm(ctx context.Context, f *flags) (name, why string) {
	if isHidden(pa.env.name) {
		return "pomcpow", "the hidden variable is a vector, for which a planner searches at every decision, and this one takes all that such a model may have"
	}
	asked := choose.Asked{File: pa.read.Tables != nil, Vectors: pa.asPolicy}
	certified, _ := solvers.Find(solvers.Certified)
	for _, key := range pa.keys {
		if _, reads := certified.Param(key); f.given[key] && !reads && !pa.limits(key) {
			asked.Reads = func(a solvers.Info) bool { return pa.checkIdle(f, a) == nil }
		}
	}
	if asked.Reads != nil { // whatever the model is
		return choose.One(nil, asked)
	}
	p, err := pa.problem(ctx)
	if err != nil {
		return certified.Name, "" // task reports what is wrong
	}
	return choose.One(p.Model, asked)
}

// problem returns that of the environment or of the model file.
func (pa *problemArgs) problem(ctx context.Context) (problem.Problem, error) {
	if pa.read.Tables != nil {
		return pa.read, nil
	}
	if pa.env.simulated.command != "" { // which may take its time
		var cancel context.CancelFunc
		ctx, cancel = pa.limited(ctx)
		defer cancel()
	}
	return pa.env.problem(ctx, pa.seed)
}

// prepare is check and task.
func (pa *problemArgs) prepare(p program, f *flags) (task, error) {
	how, err := pa.check(p, f)
	if err != nil {
		return task{}, err
	}
	return pa.task(p.ctx, f, how)
}

// task makes the model and the solver, and what to keep.
func (pa *problemArgs) task(ctx context.Context, f *flags, a solvers.Info) (task, error) {
	p, err := pa.problem(ctx)
	if err != nil {
		return task{}, err
	}
	t := task{problem: p, control: bcpace.Control{Workers: pa.workers}, seed: pa.seed, keep: f.given["out"], vectors: pa.asPolicy}
	if t.solver, err = p.Solver(a.Name); err != nil {
		return task{}, err
	}
	if t.solver, err = pa.apply(f, t.solver); err != nil {
		return task{}, err
	}
	t.best = pa.byDefault && !pa.plays && p.Tables == nil && p.Model != nil && len(pa.tuning.given) == 0
	if p.Tables != nil {
		t.from = fileParams(pa.env.file, pa.env.property, p.Tables.Horizon)
	}
	if t.vectors && a.SavesPolicy && p.Tables != nil {
		t.solver, err = solvers.Set(t.solver, solverkit.Unrevealed, "true")
	}
	return t, err
}

// apply returns s with the parameters that the flags set.
func (pa *problemArgs) apply(f *flags, s bcpace.Solver) (bcpace.Solver, error) {
	if err := solverkit.CheckWorkers("options", "--workers", pa.workers, "episodes side by side"); err != nil {
		return nil, err
	}
	was := s
	s, err := pa.tuning.apply(s, pa.read.Tables != nil)
	if err != nil {
		return nil, byFlag(err, was)
	}
	if pl, ok := s.(solvers.Planner); ok && f.given[particlesKey] {
		if pl.Particles = pa.particles; pl.Particles < 1 {
			return nil, inputError("--"+particlesKey, pl.Particles, "1 particle or more")
		}
		return pl, nil
	}
	if f.given[seedKey] {
		return solvers.Seeded(s, pa.seed)
	}
	return s, nil
}

// suggest gives bayes-cpace the settings that a look at the model of a file suggests, if no
// flag says anything of them, and returns their reasons.
func (pa *problemArgs) suggest(ctx context.Context, t *task) ([]choose.SettingReason, error) {
	o, ok := t.solver.(cpace.Solver)
	ok = ok && pa.read.Tables != nil && t.resume == nil
	for _, g := range pa.tuning.given {
		ok = ok && pa.limits(g.Key)
	}
	if !ok {
		return nil, nil
	}
	s, err := choose.Suggest(ctx, t.problem.Model)
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
func (pa *problemArgs) solve(p program, t task, progress *progressLine) (*solution, error) {
	a, _ := solvers.InfoOf(t.solver)
	ctx, cancel := pa.limited(p.ctx)
	defer cancel()
	begin := time.Now()
	clock := newClock(time.Now)
	t.control.Progress = func(now bcpace.Progress) {
		clock.tell(now)
		if t.watch != nil {
			t.watch(now)
		}
		switch {
		case now.Phase != "":
			progress.show("%s: %s", a.Name, phase(now))
		case now.Patience == 0:
			progress.show("%s: %d trials, %d samples, gap %s", a.Name, now.Episodes, now.Samples, number(now.Gap))
		default:
			progress.show("%s: %d episodes of at most %d steps, %d samples, %.0f%% of the last steps known, %d of %d quiet, value %s",
				a.Name, now.Episodes, now.Horizon, now.Samples, 100*now.Known, now.Quiet, now.Patience, number(now.Value))
		}
	}
	reasons, err := pa.suggest(ctx, &t)
	var s *solution
	if err == nil && t.replace != "" {
		err = checkReplaced(t.replace, t.problem, t.named())
	}
	if err == nil {
		s, err = t.solve(ctx)
	}
	if s != nil && s.by != "" {
		a, _ = solvers.Find(s.by)
	}
	progress.clear()
	simulator := pa.env.simulated.asked.Err()
	if ended := ctx.Err(); err == nil && ended != nil && s.nothing(t.keep && !t.best) {
		err = ended
	}
	unanswered := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	switch {
	case simulator != nil && unanswered: // which more time would not help
		return nil, simulator
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("out of time after %v, before there was anything to keep: %s; %s", pa.timeout, a.Begins(), moreTime(a))
	case errors.Is(err, context.Canceled):
		return nil, fmt.Errorf("interrupted before there was anything to keep: %s", a.Begins())
	case err != nil:
		return nil, byFlag(pa.env.simulated.needEnd(t.problem.NeedEnd(err, "--horizon T")), t.solver)
	case !number(s.Value).finite() && s.isRun() && !s.InSetUp: // another solver need not estimate it
		return nil, fmt.Errorf("the value is %v: numbers have overflowed; give a smaller --lipschitz or --alpha", s.Value)
	}
	s.lacks(a, t.best, ctx.Err() != nil)
	if simulator != nil {
		s.hint, s.fault = "", cmp.Or(s.fault, simulator)
	}
	s.algorithm = cmp.Or(s.by, t.solver.Name())
	s.name = s.algorithm
	if q, ok := t.solver.(solverkit.Questioner); ok && s.by == "" { // the solver inside finds the policy
		s.algorithm = q.Inside().Name()
		s.name += ", with " + s.algorithm
	}
	if reasons != nil {
		s.noted().Settings = reasons
	}
	if deaths := pa.env.simulated.asked.Deaths(); deaths != "" {
		s.noted().Warnings = append(s.noted().Warnings, runs.Warning{Kind: "simulator", What: deaths, Do: "have the simulator run without an end, as bcpace check says"})
	}
	if spent := clock.spent(); spent != nil {
		s.noted().Spent = spent
	}
	s.draws, s.seconds = pa.env.samples, number(time.Since(begin).Seconds())
	return s, nil
}

// lacks sets the hint of a solution that lacks something, as it had too little time.
func (s *solution) lacks(a solvers.Info, best, late bool) {
	switch {
	case s.InSetUp && best:
		s.hint = fmt.Sprintf("no solver has a policy of its own yet: in its place is %s; give more time", s.StandIn)
	case s.InSetUp:
		s.hint = fmt.Sprintf("%s, and has no policy yet: in its place is %s; %s", a.Begins(), s.StandIn, moreTime(a))
	case !number(s.Value).finite() && !s.plans && late:
		s.hint = "too few episodes had ended to say what the policy earns; give more time"
	}
}
