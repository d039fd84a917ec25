package sweep

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Engine has tasks computed: side by side in this process (Local), or by workers on any
// number of machines (package jetstream). Whatever the engine and the number of workers,
// the outputs are the same bytes.
type Engine interface {
	// Do has each task computed and calls o.Answered once for each, as they come. An answer
	// that the engine keeps under the task's key is given again without a computation,
	// unless it is a Fault. Do returns when all tasks are answered, or before that with the
	// error that made it stop, which is that of ctx if ctx has ended. A task that fails has
	// an Answer with a Fault and is no error. Keys must differ.
	Do(ctx context.Context, tasks []Task, o EngineObserver) error
	Blobs
	// Close ends what the engine has started. It keeps what is on disk.
	Close() error
}

// Blobs keeps data that tasks need or make, under the hash of its content.
type Blobs interface {
	// Put keeps data and returns its name: the 64 hexadecimal digits of its SHA-256.
	Put(ctx context.Context, data []byte) (name string, err error)
	// Get returns the data of that name. The error is fs.ErrNotExist where there is none,
	// and says so where the data does not have that hash.
	Get(ctx context.Context, name string) ([]byte, error)
}

// Task is a piece of work: data alone. A worker looks Kind up among the handlers that it was
// built with; nothing that a task names is executed.
type Task struct {
	// Key stands for everything that determines the output: 64 hexadecimal digits.
	Key string `json:"key"`
	// Name is how progress and errors call the task, such as "trial 12".
	Name string `json:"name"`
	// Kind is the name of a Handler.
	Kind string `json:"kind"`
	// Input is what the handler gets, at most MaxInput bytes. What is larger is a blob.
	Input []byte `json:"input"`
	// Limit is the time after which a computation that has not ended by itself is given up;
	// 0 means none.
	Limit time.Duration `json:"limit,omitempty"`
	// Transient says that the answer need not be kept once Answered has had it.
	Transient bool `json:"transient,omitempty"`
}

// MaxInput is the most bytes of a task's input, and of an answer's output.
const MaxInput = 256 << 10

// Handler computes the output of a task. It must return soon after ctx ends. The output
// depends on input and the blobs that it names, and on nothing else.
type Handler func(ctx context.Context, input []byte, blobs Blobs) (output []byte, err error)

// Answer is the outcome of a task.
type Answer struct {
	Key string `json:"key"`
	// Output is what the handler has returned.
	Output []byte `json:"output,omitempty"`
	// Fault says why there is no output: the handler's error, its panic, its Limit, or that
	// the task has ended every worker that had it; "" if there is one.
	Fault string `json:"fault,omitempty"`
	// Worker is who computed it, and Tries how many workers have begun to.
	Worker string `json:"worker"`
	Tries  int    `json:"tries"`
	// Seconds is what the computation took. Memory is the largest size, in bytes, of the heap
	// of the worker's process meanwhile; what runs beside it counts too.
	Seconds float64 `json:"seconds"`
	Memory  int64   `json:"memory"`
	// Part says that Parts has something of the task, which is of no use once the answer is kept.
	Part bool `json:"-"`
}

// EngineObserver is told what an engine does. It must return quickly. Calls come one at a time.
type EngineObserver struct {
	Answered func(Answer)
	// Status, if set, is called at least once a second while Do runs.
	Status func(Status)
}

// Status is how far an engine has come with the tasks of a Do.
type Status struct {
	Tasks, Done, Failed int // Failed of those Done
	Running             int
	Workers             int
	// Dropped is the number of messages that could not be what they should, and have been
	// left out; 0 for an engine without messages.
	Dropped int
	// Load has the trials that each worker has, by the worker's name: the keys of tasks.
	Load map[string][]string
	// Note says what an engine waits for or has met, such as "waiting for a worker"; "" for
	// nothing.
	Note string
}

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
	measured := measure()
	own := &taskBlobs{Blobs: blobs, key: t.Key}
	if !t.Transient {
		own.parts, _ = blobs.(Parts)
	}
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
