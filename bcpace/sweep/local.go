package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"bayescpace/bcpace/internal/side"
)

// task is a trial to compute, and the key that its result is kept under.
type task struct {
	key string
	job
	content []byte // of the model file
}

// local computes tasks in goroutines side by side, and keeps blobs and the parts of tasks in a folder. A task that ends
// the process, as when memory runs out, ends the sweep with it.
type local struct {
	folder  string
	workers int           // 0 means one for each processor
	grace   time.Duration // 0 means DefaultGrace
	limit   time.Duration // after which a task is given up; 0 means none

	// compute computes a task, with what keeps its part. It is computeTrial, and others in tests.
	compute func(context.Context, task, *taskPart) (outcome []byte, err error)
}

const (
	// DefaultGrace is how long trials that are told to end have to keep what they have come to.
	DefaultGrace = 30 * time.Second
	// MaxGrace is the longest that a program should give them.
	MaxGrace = time.Hour
)

// do has each task computed and calls answered once for each, as they come; kept says that there is a part of the task.
// It returns when all tasks are answered, or before that with the error of ctx. A task that fails is an entry with a
// fault and no error. It calls status with the keys of what is being computed, at least once a second. Calls come one at
// a time.
func (l *local) do(ctx context.Context, tasks []task, answered func(e entry, kept bool), status func(running []string, workers int)) error {
	workers := min(cmp.Or(l.workers, runtime.GOMAXPROCS(0)), len(tasks))
	type answer struct {
		entry
		kept bool
	}
	var running sync.Map // keys of tasks
	answers := make(chan answer)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	left := make(chan struct{}) // nobody takes answers any more
	defer close(left)
	graceOver := make(chan struct{})
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(cmp.Or(l.grace, DefaultGrace), func() { close(graceOver) })
	})()
	go func() {
		defer close(answers)
		side.Each(workers, len(tasks), func(_, i int) {
			if ctx.Err() != nil {
				return
			}
			running.Store(tasks[i].key, true)
			e, kept := l.attempt(ctx, tasks[i])
			running.Delete(tasks[i].key)
			if ctx.Err() != nil && e.Fault != "" {
				return // it may be ctx that has failed
			}
			select {
			case answers <- answer{e, kept}:
			case <-left:
			}
		})
	}()
	tick := time.NewTicker(statusEvery)
	defer tick.Stop()
	for done := 0; ; {
		select {
		case a, ok := <-answers:
			if !ok {
				if done < len(tasks) {
					return ctx.Err()
				}
				return nil
			}
			done++
			answered(a.entry, a.kept)
		case <-graceOver:
			return ctx.Err()
		case <-tick.C:
		}
		var keys []string
		for key := range running.Range {
			keys = append(keys, key.(string))
		}
		status(keys, workers)
	}
}

// thisProcess is what the rows call who has computed them.
const thisProcess = "this process"

// statusEvery is how often a status comes at least.
const statusEvery = time.Second / 2

// attempt computes a task. It returns an entry in any case: an error, a panic and the end of the limit are faults. A trial
// that ctx ends keeps how far it has come, and goes on from what is kept, as kept says.
func (l *local) attempt(ctx context.Context, t task) (e entry, kept bool) {
	e = entry{Key: t.key, Worker: thisProcess, Tries: 1}
	own := &taskPart{folder: l, key: t.key}
	measured := measure()
	e.Outcome, e.Fault = limited(ctx, l.limit, func(ctx context.Context) ([]byte, error) { return l.compute(ctx, t, own) })
	elapsed, peak := measured()
	e.Seconds, e.Memory = elapsed.Seconds(), int64(peak)
	return e, own.used.Load()
}

// limited calls compute, which has the limit and a moment to return; a limit of 0 is none.
func limited(ctx context.Context, limit time.Duration, compute func(context.Context) ([]byte, error)) (output []byte, fault string) {
	if limit <= 0 {
		return guarded(ctx, compute)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ended := make(chan struct{})
	var late []byte
	var lateFault string
	go func() {
		defer close(ended)
		late, lateFault = guarded(ctx, compute)
	}()
	grace := time.NewTimer(limit + max(limit/10, 2*time.Second))
	defer grace.Stop()
	over := fmt.Sprintf("it did not end within %v", limit)
	select {
	case <-ended:
		if lateFault != "" && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			lateFault = over
		}
		return late, lateFault
	case <-grace.C:
		return nil, over + ", nor when it was told to"
	}
}

// guarded calls compute, and makes a fault of its error or panic.
func guarded(ctx context.Context, compute func(context.Context) ([]byte, error)) (output []byte, fault string) {
	defer func() {
		if p := recover(); p != nil {
			output, fault = nil, fmt.Sprintf("it panicked at %s: %v", panicPlace(), p)
		}
	}()
	output, err := compute(ctx)
	if err != nil {
		return nil, err.Error()
	}
	return output, ""
}

// panicPlace returns the file and line that panicked, for a deferred function that recovers.
func panicPlace() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for panicked := false; ; {
		f, more := frames.Next()
		inRuntime := strings.HasPrefix(f.Function, "runtime.")
		if panicked && !inRuntime {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		panicked = panicked || f.Function == "runtime.gopanic"
		if !more {
			return "an unknown place"
		}
	}
}
