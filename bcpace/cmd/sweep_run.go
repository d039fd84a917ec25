package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/stop"
	"bayescpace/bcpace/sweep"
	"bayescpace/bcpace/sweep/script"
)

var sweepRunVerb = newVerb[sweepRunArgs]("sweep run", "compute the trials of a sweep, or go on with them",
	"FILE [--workers N] [--folder DIR] [--out FILE [--force]] [--shard I/N|auto/N] [--timeout D] [--grace D] [--json]",
	"sweep run neighbours.json --out rows.csv",
	"sweep run neighbours.json --shard 3/40 --folder /shared/neighbours",
	"sweep run neighbours.json --workers 4 --out rows.parquet")

// sweepDone says that a sweep has ended as all is computed.
const sweepDone = "done"

// sweepRunArgs are the flags of sweep run.
type sweepRunArgs struct {
	sweepFlags
	workers        int
	out, shard     string
	timeout, grace time.Duration
}

func (a *sweepRunArgs) flags(f *flags) {
	a.workers, a.grace = runtime.GOMAXPROCS(0), sweep.DefaultGrace
	a.sweepFlags.flags(f)
	f.value("out", "FILE", "write a row for each trial to a .csv, .parquet or .json file", text(&a.out))
	f.forceFlag()
	f.value("shard", "I/N", "compute a share of the trials alone, such as 3/40; auto/40 in a job array of Slurm or an Indexed Job of Kubernetes. sweep merge puts the rows together", text(&a.shard))
	f.value("timeout", "D", "end the sweep after a time such as 10m, and keep what there is", timeLimit(&a.timeout))
	f.jsonFlag()
	f.section("work, which changes the time and never the result")
	f.value("grace", "D", graceDoc, duration(&a.grace))
	f.value("workers", "N", "trials side by side (default: one for each processor)", whole(&a.workers))
}

// sweepRun is the verb sweep run.
func (a *sweepRunArgs) run(p program, f *flags) error {
	if err := cmp.Or(
		f.require(sweepArg),
		unless(!f.given["out"], f.checkRows(a.out)), // now, not after the work
		need(a.workers >= 1 && a.workers <= num.MaxWorkers, "--workers is %d, want a number from 1 to %d", a.workers, num.MaxWorkers),
		checkGrace(a.grace)); err != nil {
		return err
	}
	shard, err := a.share(f)
	if err != nil {
		return err
	}
	defer holdTerminate()()
	err = a.compute(p, f, shard)
	if shard != (sweep.Shard{}) && errors.Is(err, sweep.ErrFolder) {
		return &againError{err}
	}
	return err
}

// compute computes a share of the sweep.
func (a *sweepRunArgs) compute(p program, f *flags, shard sweep.Shard) error {
	begin := time.Now()
	s, err := a.read()
	if err != nil {
		return err
	}
	ctx := p.ctx
	if a.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, a.timeout)
		defer cancel()
	}
	line := p.progress(f.json)
	results, err := sweep.Run(ctx, s, sweep.Options{Workers: a.workers, Grace: a.grace, Folder: a.folder, Progress: func(p sweep.SweepProgress) { line.show("%s", progressOf(p)) }, Shard: shard})
	line.clear()
	why, err := stopOf(ctx, results, err)
	if err != nil {
		return err
	}
	trials, done := len(results.Rows), doneOf(results)
	if a.out != "" { // also after Ctrl-C, which has ended p.ctx
		if err := writeRows(context.WithoutCancel(ctx), a.out, results); err != nil {
			return err
		}
	}
	// A change of a key or meaning breaks what reads the JSON. The key of the sweep stands for the trials and the code that computes them, and all
	// counts are those of the shard alone.
	sum := slices.Concat(facts{{"name", "name", sweepName(s, a.file)}, {"key", "key", cmp.Or(results.Sweep, sweepKey(results))}, {"shard", "shard", ground(shard.String())}},
		countsOf(results), facts{
			{"cached", "cached", count(results, func(r *sweep.TrialRow) bool { return r.Cached })}, // of those done
			{"stop", "stop", why},
			{"seconds", "seconds", seconds{number(time.Since(begin).Seconds())}},
			{"folder", "folder", a.folder},
			{"out", "rows", ground(a.out)},
		})
	if err := f.printTable(p.stdout, sum); err != nil {
		return err
	}
	failed, sharded := results.Failed(), shard != sweep.Shard{}
	if err := allFailed(results); err != nil && !sharded {
		return err
	}
	if len(failed) > 0 {
		p.say(fmt.Sprintf("%d of %d trials failed, such as trial %d: %s; the next run tries them again", len(failed), trials, failed[0].Number, failed[0].Fault))
	}
	if why != sweepDone {
		err = fmt.Errorf("%s with %d of %d trials done; the same command goes on", why, done, trials)
	}
	if why == string(stop.Deadline) && sharded {
		return &againError{err}
	}
	return err
}

// share returns what --shard says.
func (a *sweepRunArgs) share(f *flags) (s sweep.Shard, err error) {
	if !f.given["shard"] {
		return s, nil
	}
	if err := f.clash("--shard, whose rows sweep merge writes,", "out"); err != nil {
		return s, err
	}
	if s, err = script.ParseShard(a.shard, os.Getenv); err != nil {
		return s, misuse("%v", err)
	}
	return s, nil
}

// graceDoc is what --grace is.
const graceDoc = "time to keep what a trial has come to when it is told to end (default 30s)"

// checkGrace returns a *usageError for a time that --grace cannot be.
func checkGrace(d time.Duration) error {
	return need(d > 0 && d <= sweep.MaxGrace, "--grace is %v, want a time above 0, at most 1h", d)
}

// holdTerminate has a second request to terminate wait for what the first one has begun: the
// managers of clusters send several. It returns what ends that.
func holdTerminate() func() {
	held := make(chan os.Signal, 1)
	signal.Notify(held, syscall.SIGTERM)
	return func() { signal.Stop(held) }
}

// stopOf says why a sweep has ended. The error is err if that is another reason than the end of
// ctx, or if there are no results.
func stopOf(ctx context.Context, results *sweep.Results, err error) (string, error) {
	switch ended := ctx.Err(); {
	case err == nil:
		return sweepDone, nil
	case ended == nil || !errors.Is(err, ended):
		if results != nil && doneOf(results) > 0 && !errors.Is(err, sweep.ErrFolder) {
			err = fmt.Errorf("%w; what is computed is kept, and the same command goes on", err)
		}
		return "", err
	case results == nil:
		return "", fmt.Errorf("%s before the first trial", stop.Of(ctx))
	}
	return string(stop.Of(ctx)), nil
}

// sweepName is how output calls a sweep.
func sweepName(s sweep.Spec, file string) string { return cmp.Or(s.Name, filepath.Base(file)) }

// progressOf says how far a sweep has come.
func progressOf(p sweep.SweepProgress) string {
	text := fmt.Sprintf("sweep: %d of %d done, %d failed", p.Done, p.Trials, p.Failed)
	if p.Note != "" {
		text += ", " + p.Note
	} else {
		text += fmt.Sprintf(", %d running on %d workers", p.Running, p.Workers)
	}
	if p.Left >= 0 {
		text += fmt.Sprintf(", %v left", p.Left.Round(time.Second))
	}
	return text
}
