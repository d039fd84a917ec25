package sweep

import (
	"context"
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
