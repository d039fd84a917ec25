package cmd

import (
	"io"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solvers"
	"bayescpace/bcpace/store"
)

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
