package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"time"

	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
	"bayescpace/bcpace/stop"
	"bayescpace/bcpace/store"
	"bayescpace/bcpace/sweep"
)

var solveVerb = verb{
	name: "solve", doc: "find a policy and its value, or resume a saved run",
	usage: "(--env NAME [--set KEY=VALUE]… [--samples N] | --model FILE | --process COMMAND | --resume FILE) [--algorithm NAME] [--epsilon E] [--seed N] [--timeout D] [--out FILE [--force]] [--json] [exploration flags] [--engine NAME and its flags]",
	examples: []string{
		"solve --env tiger --set accuracy=0.85 --out tiger.bcp",
		"solve --env chain --set slips=0.2,0.5,0.8 --timeout 30s --json",
		"solve --resume tiger.bcp --timeout 10m",
		"solve --env light-dark-tiger --set width=9 --set height=9 --set start=4,4 --epsilon 0.05",
		"solve --env light-dark-tiger --set sigma=0.1 --epsilon 0.5",
		"solve --env tiger --algorithm qmdp",
		"solve --env chain --robust l1=0.2 --epsilon 0.5",
		"solve --model data/tiger.pomdpx --horizon 10 --risk cvar=0.1 --epsilon 0.2",
		"solve --env tiger --limit 0.1 --loss -100 --epsilon 0.1",
		"solve --env pendulum --set mass=uniform:0.5:2 --samples 20 --timeout 1m",
		"solve --model data/tiger.pomdpx",
		"solve --model data/tiger.pomdpx --algorithm sarsop --out tiger.policy",
		"solve --env tiger --risk cvar=0.1 --epsilon 1 --out careful.json",
		"solve --model data/tiger.pomdpx --algorithm sarsop --trace bounds.csv",
		"solve --env pendulum --batch 100 --engine embedded --workers 4",
	},
	args: func() arguments { return new(solveArgs) },
}

// solveArgs are the flags of solve.
type solveArgs struct {
	problem problemArgs
	engine  solveEngine
	resume  string
	out     string
	trace   string
	questionArgs
}

func (a *solveArgs) flags(f *flags) {
	a.problem.flags(f)
	f.section("going on with a saved run")
	f.value("resume", "FILE", "run that was interrupted, killed or has spent a limit; in place of a problem. "+
		"Beside it --timeout, --workers, --patience, --max-samples and --max-episodes may be others than before; the rest stays as it is in the run", text(&a.resume))
	a.engine.flags(f)
	a.questionArgs.flags(f)
	f.section("output")
	f.value("out", "FILE", fmt.Sprintf("save what is found, for --run of other verbs: the run of bayes-cpace or certified, which notebooks read too, also every %v or more what there is so far; "+
		"with --resume, the default is the same file; of other algorithms, and of --robust, --risk and --limit, the policy", checkpointEvery), text(&a.out))
	f.value("trace", "FILE", "write the course of the search to a .csv or .parquet file: a row for each change of its bounds, with the seconds since it began", text(&a.trace))
	f.forceFlag()
	f.jsonFlag()
}

// solve is the verb solve.
func (a *solveArgs) run(p program, f *flags) error {
	if err := cmp.Or(a.checkTrace(f), a.engine.check(f, a.problem.workers)); err != nil {
		return err
	}
	a.problem.elsewhere = a.engine.used(f)
	if f.given["resume"] {
		return a.resumeRun(p, f)
	}
	if !f.given["env"] && !f.given["model"] {
		return misuse("--env, --model or --resume is missing")
	}
	if err := a.checkOut(f); err != nil {
		return err
	}
	how, err := a.problem.check(p, f)
	if err != nil {
		return err
	}
	t, err := a.problem.task(p.ctx, f, how)
	if err != nil {
		return err
	}
	if f.given["out"] && !f.force {
		t.replace = a.out
	}
	if a.flag(f) != "" {
		err = a.ask(f, &a.problem, &t)
	}
	if err != nil {
		return err
	}
	if f.given["out"] {
		t.control.Checkpoint = checkpoints(a.out, 0, time.Now)
	}
	return a.work(p, f, t)
}

// work runs the solver, on an engine if one is given, and reports what it has found.
func (a *solveArgs) work(p program, f *flags, t task) error {
	if err := a.engine.checkTask(f, t); err != nil {
		return err
	}
	progress := p.progress(f.json)
	end, err := a.engine.start(p, f, &t, progress)
	if err != nil {
		return err
	}
	course := &searchTrace{begin: time.Now()}
	if a.trace != "" {
		t.watch = course.add
	}
	s, err := a.problem.solve(p, t, progress)
	ended := end()
	if err != nil {
		return err
	}
	if a.trace != "" {
		course.end(s.result)
		ended = errors.Join(ended, course.write(a.trace))
	}
	return errors.Join(s.report(p, f, a.out), ended)
}

// checkTrace returns an error where --trace names a file that is not to be written.
func (a *solveArgs) checkTrace(f *flags) error {
	switch e := extension(a.trace); {
	case !f.given["trace"]:
		return nil
	case e != ".csv" && e != ".parquet":
		return misuse("%q is no name of a table, want one that ends in .csv or .parquet", a.trace)
	case sameFile(a.trace, a.out) || sameFile(a.trace, a.problem.env.file) || sameFile(a.trace, a.resume):
		return misuse("--trace names a file that another flag names")
	}
	return f.checkTarget("trace", a.trace, courseKind)
}

// checkOut returns an error where there will be nothing to save, or where --out names
// a file that is not to be written: now, not after the work.
func (a *solveArgs) checkOut(f *flags) error {
	if !f.given["out"] {
		return nil
	}
	x := &a.problem
	x.asPolicy = extension(a.out) == ".policy"
	kinds := []fileKind{runKind}
	how, known := solvers.Find(x.algorithm)
	switch {
	case f.given["model"] && sameFile(a.out, x.env.file):
		return misuse("--model and --out name the same file")
	case x.asPolicy && f.given["model"] && (how.SavesPolicy || !known):
		kinds = []fileKind{policyKind}
	case f.given["model"] && how.SavesPolicy && a.flag(f) == "":
		kinds = []fileKind{keptKind, policyKind}
	case a.flag(f) != "" || known && !how.Explores():
		kinds = []fileKind{keptKind}
	case f.given["model"] && !known: // which depends on the model
		kinds = []fileKind{runKind, keptKind}
	case !known && len(x.tuning.given) == 0: // and here on which policy earns most
		kinds = []fileKind{runKind, keptKind}
	}
	return f.checkTarget("out", a.out, kinds...)
}

// report saves the run, if out names a file, and prints the result, also if the run could
// not be saved: then the work is not lost. For a run that was interrupted or ran out of time
// it says how to continue.
func (s *solution) report(p program, f *flags, out string) error {
	if s.Lower > s.Upper { // no value lies there: nothing of it is printed or saved
		return fmt.Errorf("%s on model %s contradicts itself: its lower bound %v exceeds its upper bound %v", s.Algorithm, s.Model, s.Lower, s.Upper)
	}
	unsaved := save(out, s.run, s.unsaved)
	if err := f.printTable(p.stdout, s); err != nil {
		return err
	}
	said := s.cutShort(out, unsaved == nil)
	if said != "" && s.Stop == string(stop.Interrupted) {
		return errors.Join(errors.New(said), s.fault, unsaved)
	}
	if said != "" {
		fmt.Fprintf(p.stderr, "bcpace: %s\n", oneLine(said))
	}
	return errors.Join(s.fault, unsaved)
}

// save writes what was found to a file, if out names one. The error of what cannot be saved is handed on.
func save(out string, found io.WriterTo, unsaved error) error {
	if out == "" || unsaved != nil {
		return unsaved
	}
	return store.WriteFile(out, found)
}

// isRun says that what is to be saved is a run.
func (s *solution) isRun() bool {
	_, is := s.run.(*runs.Run)
	return is
}

// cutShort says that the solver was interrupted or ran out of time, what that means for its
// policy, and how to go on with the run that was saved to out, if it was; "" if there is nothing
// to say.
func (s *solution) cutShort(out string, saved bool) string {
	interrupted := s.Stop == string(stop.Interrupted)
	switch {
	case s.hint != "":
		return s.Stop + ": " + s.hint
	case s.isRun() && out != "" && saved && (interrupted || s.Stop == string(stop.Deadline)):
		return s.Stop + "; bcpace solve --resume " + out + " goes on"
	case interrupted:
		return s.Stop + ": this is the solution so far"
	}
	return ""
}

// MarshalJSON implements json.Marshaler: the result, with what the solver has found beside it.
func (s *solution) MarshalJSON() ([]byte, error) {
	object, err := jsonOf(s.result)
	if err != nil {
		return nil, err
	}
	return withFindings(object, s.found)
}

// rows also say what holds the bounds apart.
func (s *solution) rows(row func(...any)) {
	row("algorithm", s.name)
	row("model", s.Model)
	if s.Objective != "" {
		row("bounds of", string(s.Objective))
	}
	if s.Value == s.Lower {
		row("value", s.Value.atLeast())
	} else {
		row("value", s.Value)
	}
	row("lower", s.Lower.atLeast())
	row("upper", s.Upper.atMost())
	row("certificate", s.Certificate)
	s.grounds.rows(row)
	for _, x := range solverkit.Rows(s.found, boundText) {
		row(x[0], x[1])
	}
	if s.Epsilon.finite() {
		row("epsilon", s.Epsilon)
	}
	if s.gap != "" {
		row("gap", s.gap)
	}
	row("samples", s.Samples)
	row("episodes", s.Episodes)
	row("steps", s.Steps)
	row("seconds", s.Seconds.seconds())
	row("seed", s.Seed)
	if s.Draws != nil {
		row("draws", *s.Draws)
	}
	row("stop", s.Stop)
	if s.Notes != nil {
		s.Notes.rows(row)
	}
}

// solveEngine are the flags of solve that have workers play its rollouts.
type solveEngine struct {
	engineFlags
	folder string
}

func (a *solveEngine) flags(f *flags) {
	f.section("rollouts of bayes-cpace played by workers, for a model whose steps take long")
	a.engineFlags.flags(f)
	f.value("folder", "DIR", "folder with the connect.json by which workers join --engine embedded (default: a temporary one)", text(&a.folder))
}

// used reports whether workers play.
func (a *solveEngine) used(f *flags) bool { return f.given["engine"] && a.name != localEngine }

// check returns a *usageError for flags that do not go together.
func (a *solveEngine) check(f *flags, workers int) error {
	if !a.used(f) {
		return f.clash("--engine local", append(slices.Clone(serverKeys), "listen", "replicas", "folder")...)
	}
	if f.given["model"] {
		return fileElsewhere()
	}
	if a.name != embeddedEngine {
		if err := f.clash("--engine "+a.name, "folder"); err != nil {
			return err
		}
	}
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return a.engineFlags.check(f, workers)
}

// fileElsewhere is the error for the model of a file, which workers cannot make.
func fileElsewhere() error {
	return misuse("--engine and --model contradict each other: a worker makes the model by its name, as --env gives it")
}

// checkTask returns a *usageError for a solver whose rollouts cannot be played by workers, or a
// model that they cannot make.
func (a *solveEngine) checkTask(f *flags, t task) error {
	if !a.used(f) {
		return nil
	}
	if spec := t.problem.Spec(); isFile(spec.Name, spec.Params) { // of a run that is resumed
		return fileElsewhere()
	}
	o, ok := t.solver.(cpace.Solver)
	if !ok {
		return misuse("--engine and --algorithm %s contradict each other: leave out --engine, or take %s", t.solver.Name(), solvers.BayesCPACE)
	}
	if o.Batch < 2 {
		return misuse("--engine and --batch %d contradict each other: workers play the rollouts of a batch side by side, want 2 or more", o.Batch)
	}
	return nil
}

// start has workers play the rollouts of t. close ends what it has started.
func (a *solveEngine) start(p program, f *flags, t *task, progress *progressLine) (close func() error, err error) {
	if !a.used(f) {
		return func() error { return nil }, nil
	}
	folder, remove := a.folder, func() error { return nil }
	if a.name == embeddedEngine && folder == "" {
		if folder, err = os.MkdirTemp("", "bcpace-engine-"); err != nil {
			return nil, err
		}
		remove = func() error { return os.RemoveAll(folder) }
	}
	name := t.problem.Model.Spec().Name
	engine, err := a.engineFlags.start(p.ctx, p, folder, name, sweep.Needs(name))
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	o := t.solver.(cpace.Solver) // as checkTask has seen
	o.Rollouts = sweep.Rollouts(engine, func(s sweep.Status) {
		if s.Note != "" {
			progress.show("%s: %s", o.Name(), oneLine(s.Note))
		}
	})
	t.solver = o
	return func() error { return errors.Join(engine.Close(), remove()) }, nil
}
