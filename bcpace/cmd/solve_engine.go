package cmd

import (
	"errors"
	"os"
	"runtime"
	"slices"

	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/solvers"
	"bayescpace/bcpace/sweep"
)

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
	if spec := t.problem.Model.Spec(); isFile(spec.Name, spec.Params) { // of a run that is resumed
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
	engine := a.engineFlags.start(p.ctx, p, folder, name, sweep.Needs(name))
	o := t.solver.(cpace.Solver) // as checkTask has seen
	o.Rollouts = sweep.Rollouts(engine, func(s sweep.Status) {
		if s.Note != "" {
			progress.show("%s: %s", o.Name(), oneLine(s.Note))
		}
	})
	t.solver = o
	return func() error { return errors.Join(engine.Close(), remove()) }, nil
}
