package sweep

import (
	"bayescpace/bcpace/internal/meter"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Attempt computes a task with the handler of its kind. It returns an answer in any case: an
// error of the handler, its panic and the end of the task's Limit are Faults. stuck says that
// the handler did not return when the Limit was over, and still runs: who can end its process
// should. worker and tries are those of the answer. Where the blobs are Parts too, a trial that ctx ends
// keeps how far it has come, and goes on from what is kept. It is for authors of engines.
func Attempt(ctx context.Context, t Task, blobs Blobs, worker string, tries int) (a Answer, stuck bool) {
	a = Answer{Key: t.Key, Worker: worker, Tries: tries}
	h, ok := HandlerOf(t.Kind)
	if !ok {
		a.Fault = fmt.Sprintf("this program has no handler for tasks of kind %q", t.Kind)
		return a, false
	}
	measured := meter.Start()
	own := blobsOf(t, blobs)
	a.Output, a.Fault, stuck = limited(ctx, t.Limit, func(ctx context.Context) ([]byte, error) { return h(ctx, t.Input, own) })
	a.Part = own.used.Load()
	elapsed, peak := measured()
	a.Seconds, a.Memory = elapsed.Seconds(), int64(peak)
	if len(a.Output) > MaxInput {
		a.Fault = fmt.Sprintf("its output has %d bytes, more than %d: what is large is kept as a blob", len(a.Output), MaxInput)
		a.Output = nil
	}
	return a, stuck
}

// limited calls compute, which has the limit and a moment to return; a limit of 0 is none.
func limited(ctx context.Context, limit time.Duration, compute func(context.Context) ([]byte, error)) (output []byte, fault string, stuck bool) {
	if limit <= 0 {
		output, fault = guarded(ctx, compute)
		return output, fault, false
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
		return late, lateFault, false
	case <-grace.C:
		return nil, over + ", nor when it was told to", true
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
