//go:build unix

package jetstream

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync"
	"syscall"
	"testing"
	"time"

	"bayescpace/bcpace/sweep"
)

// bare computes tasks with goroutines alone.
func bare(ctx context.Context, workers int, tasks []sweep.Task) {
	work := make(chan sweep.Task)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for t := range work {
				h, _ := sweep.HandlerOf(t.Kind)
				h(ctx, t.Input, nil)
			}
		})
	}
	for _, t := range tasks {
		work <- t
	}
	close(work)
	all.Wait()
}

// compare reports how much longer an engine takes than goroutines, with the start of its
// server and workers, and what that does to the memory of this process.
func compare(b *testing.B, workers int, tasks []sweep.Task) {
	for b.Loop() {
		began := time.Now()
		bare(b.Context(), workers, tasks)
		alone := time.Since(began)
		runtime.GC()
		before := heap()
		began = time.Now()
		e := embed(b, Embedded{Workers: workers})
		answered, half := 0, int64(0)
		err := e.Do(b.Context(), tasks, sweep.EngineObserver{Answered: func(a sweep.Answer) {
			if a.Fault != "" {
				b.Error(a.Fault)
			}
			if answered++; answered == len(tasks)/2 {
				runtime.GC()
				half = heap()
			}
		}})
		if err != nil || answered != len(tasks) {
			b.Fatalf("%d of %d tasks: %v", answered, len(tasks), err)
		}
		took := time.Since(began)
		runtime.GC()
		b.ReportMetric(alone.Seconds(), "s-bare")
		b.ReportMetric(took.Seconds(), "s-engine")
		b.ReportMetric(took.Seconds()/alone.Seconds(), "ratio")
		b.ReportMetric(float64(half-before)/1e6, "MB-half")
		b.ReportMetric(float64(heap()-before)/1e6, "MB-all")
		b.ReportMetric(float64(len(tasks))/took.Seconds(), "tasks/s")
		e.Close()
		var use syscall.Rusage
		syscall.Getrusage(syscall.RUSAGE_SELF, &use)
		b.ReportMetric(float64(use.Maxrss)/1e3, "MB-max-rss")
	}
}

func heap() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// BenchmarkEngine computes 1,000 tasks of 20 ms, and 100,000 of 1 ms, that keep a processor
// busy, with two workers.
func BenchmarkEngine(b *testing.B) {
	const many = 100_000
	began := time.Now()
	for range many {
		hashed("1000")
	}
	perMilli := float64(many) / (time.Since(began).Seconds() * 1e3)
	for _, c := range []struct{ n, milli int }{{1000, 20}, {100_000, 1}} {
		tasks := tasksOf("rounds", c.n, testInput{Rounds: int(float64(c.milli) * perMilli)})
		b.Run(fmt.Sprintf("%dx%dms", c.n, c.milli), func(b *testing.B) { compare(b, 2, tasks) })
	}
}

// BenchmarkKeep measures how long a server takes until an answer is on disk.
func BenchmarkKeep(b *testing.B) {
	e := embed(b, Embedded{})
	for i := 0; b.Loop(); i++ {
		t := taskOf("hash", testInput{Text: fmt.Sprint(i)})
		if _, err := e.vault.keep(b.Context(), &sweep.Answer{Key: t.Key, Output: hashed(t.Name), Worker: "bench", Tries: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
