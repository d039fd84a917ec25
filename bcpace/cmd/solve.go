package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/frame"
	"bayescpace/bcpace/frame/parquet"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solvers"
	"bayescpace/bcpace/store"
)

var solveVerb = newVerb[solveArgs]("solve", "find a policy and its value, or resume a saved run",
	"(--env NAME [--set KEY=VALUE]… [--samples N] | --model FILE [--property TEXT] | --process COMMAND | --resume FILE) [--algorithm NAME] [--epsilon E] [--seed N] [--timeout D] [--out FILE [--force]] [--json] [exploration flags]",
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
	"solve --model data/tiger.pomdpx --algorithm sarsop --trace bounds.csv")

// solveArgs are the flags of solve.
type solveArgs struct {
	problem problemArgs
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
	others := map[string]string{"out": a.out, "model": a.problem.env.file, "resume": a.resume}
	if err := f.checkTable("trace", a.trace, courseKind, others); err != nil {
		return err
	}
	if f.given["resume"] {
		return a.resumeRun(p, f)
	}
	if err := cmp.Or(
		need(f.given["env"] || f.given["model"], "--env, --model or --resume is missing"),
		a.checkOut(f)); err != nil {
		return err
	}
	t, err := a.problem.prepare(p, f)
	if err == nil && a.flag(f) != "" {
		err = a.ask(f, &a.problem, &t)
	}
	if err != nil {
		return err
	}
	if f.given["out"] {
		t.control.Checkpoint = checkpoints(a.out, 0, time.Now)
		if !f.force {
			t.replace = a.out
		}
	}
	return a.work(p, f, t)
}

// work runs the solver and reports what it has found.
func (a *solveArgs) work(p program, f *flags, t task) error {
	course := &searchTrace{begin: time.Now()}
	if a.trace != "" {
		t.watch = course.add
	}
	s, err := a.problem.solve(p, t, p.progress(f.json))
	if err != nil {
		return err
	}
	var unwritten error
	if a.trace != "" {
		course.row(s.End(), s.Value, float64(s.lower), float64(s.upper))
		unwritten = course.write(a.trace)
	}
	return errors.Join(s.report(p, f, a.out), unwritten)
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

// resumeRun is solve --resume. The options are those of the run, changed by the flags.
// runs.Resume refuses a change that would have made the run a different one.
func (a *solveArgs) resumeRun(p program, f *flags) error {
	x := &a.problem
	ctx, cancel := x.limited(p.ctx)
	defer cancel()
	find := modelFinder(ctx)
	for _, name := range []string{"set", "samples"} {
		if f.given[name] && !f.given["env"] && !f.given["model"] {
			return misuse("--%[1]s and --resume contradict each other: leave out --%[1]s, as the run has its parameters, or give --env too, to have both compared with the run", name)
		}
	}
	if f.given["env"] || f.given["model"] { // which must be the run's
		if _, err := x.check(p, f); err != nil {
			return err
		}
		p, err := x.problem(ctx)
		switch {
		case err != nil:
			return err
		case p.Model == nil:
			return p.NoBAMDP
		}
		find = runs.FixedModel(p.Model)
	}
	if err := f.checkTarget("out", a.out, runKind); err != nil { // now, not after the work
		return err
	}
	r, err := readRunFile(ctx, a.resume, find)
	if err != nil {
		return err
	}
	name := r.Solver.Name()
	if f.given["algorithm"] && x.algorithm != name {
		return inputError("--algorithm", x.algorithm, name+", as in the run to resume")
	}
	how, _ := solvers.Find(name)
	if err := x.checkIdle(f, how); err != nil {
		return err
	}
	t := task{problem: problem.Problem{Model: r.Model()}, control: bcpace.Control{Workers: x.workers}, keep: true, resume: r}
	if t.solver, err = x.apply(f, r.Solver); err != nil {
		return err
	}
	plan, err := r.Solver.Plan(r.Model())
	if err != nil {
		return err
	}
	t.seed = plan.Seed
	if f.given["out"] && !f.force && !sameFile(a.out, a.resume) {
		t.replace = a.out
	}
	if !f.given["out"] {
		a.out = a.resume
		if err := f.checkTarget("out", a.out, runKind); err != nil {
			return err
		}
	}
	t.control.Checkpoint = checkpoints(a.out, len(r.Trace), time.Now)
	return a.work(p, f, t)
}

// checkpointEvery is the least time between two checkpoints; less in tests.
var checkpointEvery = 5 * time.Second

// restraint is how many times as long as a checkpoint took the time to the next one
// is at least.
const restraint = 50

// checkpoints returns a Checkpoint of bcpace.Control that writes the run so far to a
// file, so that a process that is killed loses little. The first so many episodes
// are there already.
func checkpoints(name string, episodes int, now func() time.Time) func(bcpace.Progress, io.WriterTo) {
	next := now().Add(checkpointEvery)
	return func(p bcpace.Progress, soFar io.WriterTo) {
		begin := now()
		if p.Episodes <= episodes || begin.Before(next) {
			return
		}
		// An error would come again at the end, and is reported there.
		_ = store.WriteFile(name, soFar)
		end := now()
		next = end.Add(max(checkpointEvery, restraint*end.Sub(begin)))
	}
}

// searchTrace is the course of a search in time: a row each time that its values have changed.
type searchTrace struct {
	begin time.Time
	last  bcpace.Progress // of the last row

	seconds                  []float64
	episodes, samples, steps []int
	value, lower, upper      []float64
}

// add adds a row, unless nothing has changed for less than a second.
func (t *searchTrace) add(p bcpace.Progress) {
	if p.Phase != "" {
		return
	}
	lower, upper := math.NaN(), math.NaN()
	if p.Gap > 0 || p.Epsilon > 0 { // bounds of a search, which may meet
		lower, upper = p.Value-p.Gap, p.Value
	}
	if n := len(t.seconds); n > 0 && p.Value == t.last.Value && p.Gap == t.last.Gap && time.Since(t.begin).Seconds() < t.seconds[n-1]+1 {
		return
	}
	t.row(p, p.Value, lower, upper)
}

func (t *searchTrace) row(p bcpace.Progress, value, lower, upper float64) {
	t.last, t.seconds = p, append(t.seconds, time.Since(t.begin).Seconds())
	t.episodes, t.samples, t.steps = append(t.episodes, p.Episodes), append(t.samples, p.Samples), append(t.steps, p.Steps)
	t.value, t.lower, t.upper = append(t.value, value), append(t.lower, lower), append(t.upper, upper)
}

// write writes the table, also after an interrupt.
func (t *searchTrace) write(file string) error {
	return writeTable(context.Background(), file, frame.WriteCSV, parquet.Write, frame.Of(searchColumns, []any{t.seconds, t.episodes, t.samples, t.steps, t.value, t.lower, t.upper}))
}
