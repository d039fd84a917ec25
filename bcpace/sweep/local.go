package sweep

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/internal/side"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/store"
)

// Local is the Engine in this process: goroutines side by side. It keeps no answers; Run
// does. A task that ends the process, as when memory runs out, ends the sweep with it: the
// engine of package jetstream survives that.
type Local struct {
	// Workers is the number of tasks side by side. 0 means one for each processor.
	Workers int
	// Folder keeps the blobs and the parts of tasks. "" keeps them in memory.
	Folder string
	// Grace is how long Do waits, after its context has ended, for tasks to keep what they have. 0
	// means 30 s. A task that has not returned by then goes on beside what the program does next.
	Grace time.Duration

	blobs sync.Map // content by name, without a Folder
}

var _ interface {
	Engine
	Parts
} = (*Local)(nil)

// DefaultGrace is how long tasks that are told to end have to keep what they have.
const DefaultGrace = 30 * time.Second

// Do implements Engine.
func (l *Local) Do(ctx context.Context, tasks []Task, o EngineObserver) error {
	if err := solverkit.CheckWorkers("local engine", "Workers", l.Workers, "goroutines"); err != nil {
		return err
	}
	workers := min(cmp.Or(l.Workers, runtime.GOMAXPROCS(0)), len(tasks))
	status := Status{Tasks: len(tasks), Workers: workers}
	var running sync.Map // keys of tasks
	answers := make(chan Answer)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	left := make(chan struct{}) // nobody takes answers any more
	defer close(left)
	graceOver := make(chan struct{})
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(cmp.Or(l.Grace, DefaultGrace), func() { close(graceOver) })
	})()
	go func() {
		defer close(answers)
		side.Each(workers, len(tasks), func(_, i int) {
			if ctx.Err() != nil {
				return
			}
			running.Store(tasks[i].Key, true)
			a, _ := Attempt(ctx, tasks[i], l, ThisProcess, 1)
			running.Delete(tasks[i].Key)
			if ctx.Err() != nil && a.Fault != "" {
				return // it may be ctx that has failed
			}
			select {
			case answers <- a:
			case <-left:
			}
		})
	}()
	tick := time.NewTicker(statusEvery)
	defer tick.Stop()
	for {
		select {
		case a, ok := <-answers:
			if !ok {
				if status.Done < len(tasks) {
					return ctx.Err()
				}
				return nil
			}
			status.Done++
			if a.Fault != "" {
				status.Failed++
			}
			o.answered(a)
		case <-graceOver:
			return ctx.Err()
		case <-tick.C:
		}
		var keys []string
		for key := range running.Range {
			keys = append(keys, key.(string))
		}
		status.Running, status.Load = len(keys), map[string][]string{ThisProcess: keys}
		if o.Status != nil {
			o.Status(status)
		}
	}
}

// ThisProcess is what a Local engine calls its worker.
const ThisProcess = "this process"

// statusEvery is how often a status comes at least.
const statusEvery = time.Second / 2

func (o EngineObserver) answered(a Answer) {
	if o.Answered != nil {
		o.Answered(a)
	}
}

// Put implements Blobs.
func (l *Local) Put(_ context.Context, data []byte) (name string, err error) {
	name = blobName(data)
	return name, l.keep(name, data)
}

// keep keeps data under a name.
func (l *Local) keep(name string, data []byte) error {
	if l.Folder == "" {
		l.blobs.Store(name, append([]byte(nil), data...))
		return nil
	}
	if err := writeIn(l.Folder, name, data); err != nil {
		return inFolder{fmt.Errorf("sweep: %w", err)}
	}
	return nil
}

// writeIn writes a file in a folder, which it makes where there is none.
func writeIn(folder, name string, data []byte) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return store.WriteFile(filepath.Join(folder, name), bytes.NewReader(data))
}

// partPrefix begins the names of parts, which lie beside the blobs.
const partPrefix = "part-"

// KeepPart implements Parts.
func (l *Local) KeepPart(_ context.Context, key string, data []byte) error {
	if !isName(key) { // a file has it in its name
		return fmt.Errorf("sweep: %q is no key of a task, want 64 hexadecimal digits", key)
	}
	return l.keep(partPrefix+key, data)
}

// Part implements Parts.
func (l *Local) Part(_ context.Context, key string) ([]byte, error) { return l.read(partPrefix + key) }

// dropPart removes the part of a task whose answer is kept.
func (l *Local) dropPart(key string) {
	if l.Folder == "" {
		l.blobs.Delete(partPrefix + key)
	} else {
		_ = os.Remove(filepath.Join(l.Folder, partPrefix+key)) // one that stays does no harm
	}
}

// dropParts removes the parts of those tasks that done names, as of a process that was killed between
// an answer and the end of its part.
func (l *Local) dropParts(done func(key string) bool) {
	files, _ := os.ReadDir(l.Folder)
	for _, f := range files {
		if key, ok := strings.CutPrefix(f.Name(), partPrefix); ok && done(key) {
			l.dropPart(key)
		}
	}
}

// Get implements Blobs.
func (l *Local) Get(_ context.Context, name string) (data []byte, err error) {
	if data, err = l.read(name); err != nil {
		return nil, fmt.Errorf("sweep: data %.12s: %w", name, err)
	}
	if blobName(data) != name {
		return nil, fmt.Errorf("sweep: data %.12s is damaged: its hash is %.12s", name, blobName(data))
	}
	return data, nil
}

// read returns what keep has kept.
func (l *Local) read(name string) ([]byte, error) {
	if !isName(strings.TrimPrefix(name, partPrefix)) {
		return nil, fmt.Errorf("%q is no name, want 64 hexadecimal digits: %w", name, fs.ErrNotExist)
	}
	if l.Folder != "" {
		return readFile(filepath.Join(l.Folder, name))
	}
	x, ok := l.blobs.Load(name)
	if !ok {
		return nil, fs.ErrNotExist
	}
	return x.([]byte), nil
}

// readFile reads a regular file.
func readFile(name string) ([]byte, error) { return disk.Read(name, math.MaxInt64) }

// Close implements Engine.
func (l *Local) Close() error { return nil }

func blobName(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// isName reports whether text is 64 hexadecimal digits, which a path may end in.
func isName(text string) bool {
	b, err := hex.DecodeString(text)
	return err == nil && len(b) == sha256.Size
}
