package sweep

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"bayescpace/bcpace/internal/regularfile"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/store"
)

// Local is the Engine in this process: goroutines side by side. It keeps no answers; Run
// does. A task that ends the process, as when memory runs out, ends the sweep with it: the
// engine of package jetstream survives that.
type Local struct {
	// Workers is the number of tasks side by side. 0 means one for each processor.
	Workers int
	// Folder keeps the blobs. "" keeps them in memory.
	Folder string

	blobs sync.Map // content by name, without a Folder
}

var _ Engine = (*Local)(nil)

// Do implements Engine.
func (l *Local) Do(ctx context.Context, tasks []Task, o Observer) error {
	if err := solverkit.CheckWorkers("local engine", "Workers", l.Workers, "goroutines"); err != nil {
		return err
	}
	workers := l.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, len(tasks))
	status := Status{Tasks: len(tasks), Workers: workers}
	var running atomic.Int64
	work, answers := make(chan Task), make(chan Answer)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for t := range work {
				running.Add(1)
				a, _ := Attempt(ctx, t, l, "this process", 1)
				running.Add(-1)
				if ctx.Err() != nil && a.Fault != "" {
					return // it may be ctx that has failed
				}
				answers <- a
			}
		})
	}
	go func() {
		defer close(work)
		for _, t := range tasks {
			select {
			case work <- t:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() {
		all.Wait()
		close(answers)
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
		case <-tick.C:
		}
		status.Running = int(running.Load())
		o.status(status)
	}
}

// statusEvery is how often a status comes at least.
const statusEvery = time.Second / 2

func (o Observer) answered(a Answer) {
	if o.Answered != nil {
		o.Answered(a)
	}
}

func (o Observer) status(s Status) {
	if o.Status != nil {
		o.Status(s)
	}
}

// Put implements Blobs.
func (l *Local) Put(_ context.Context, data []byte) (name string, err error) {
	name = blobName(data)
	if l.Folder == "" {
		l.blobs.Store(name, append([]byte(nil), data...))
		return name, nil
	}
	if err := os.MkdirAll(l.Folder, 0o755); err != nil {
		return "", fmt.Errorf("sweep: %w", err)
	}
	if err := store.WriteFile(filepath.Join(l.Folder, name), bytes.NewReader(data)); err != nil {
		return "", fmt.Errorf("sweep: %w", err)
	}
	return name, nil
}

// Get implements Blobs.
func (l *Local) Get(_ context.Context, name string) (data []byte, err error) {
	if !isName(name) {
		return nil, fmt.Errorf("sweep: %q names no data, want 64 hexadecimal digits: %w", name, fs.ErrNotExist)
	}
	if l.Folder == "" {
		x, ok := l.blobs.Load(name)
		if !ok {
			return nil, fmt.Errorf("sweep: data %.12s: %w", name, fs.ErrNotExist)
		}
		return x.([]byte), nil
	}
	if data, err = readFile(filepath.Join(l.Folder, name)); err != nil {
		return nil, fmt.Errorf("sweep: data %.12s: %w", name, err)
	}
	if blobName(data) != name {
		return nil, fmt.Errorf("sweep: data %.12s is damaged: its hash is %.12s", name, blobName(data))
	}
	return data, nil
}

// readFile reads a regular file.
func readFile(name string) ([]byte, error) {
	f, err := regularfile.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

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
