// Package meter measures the time and memory of a computation.
package meter

import (
	"runtime/metrics"
	"sync"
	"time"
)

// Meter measures the time and memory of a computation. Memory is that of the
// whole process, as Go keeps no account by goroutine.
type Meter struct {
	start     time.Time
	allocated uint64
	peak      uint64
	quit      chan struct{}
	wg        sync.WaitGroup
}

const (
	heapMetric  = "/memory/classes/heap/objects:bytes"
	allocMetric = "/gc/heap/allocs:bytes"
	// sampleEvery is how often the heap is looked at; a look takes microseconds
	// and stops nobody.
	sampleEvery = 10 * time.Millisecond
)

// Start begins to measure.
func Start() *Meter {
	m := &Meter{start: time.Now(), quit: make(chan struct{})}
	m.allocated = readMetric(allocMetric)
	m.peak = readMetric(heapMetric)
	m.wg.Go(func() {
		tick := time.NewTicker(sampleEvery)
		defer tick.Stop()
		for {
			select {
			case <-m.quit:
				return
			case <-tick.C:
				m.peak = max(m.peak, readMetric(heapMetric))
			}
		}
	})
	return m
}

// Stop returns the wall clock time, the bytes allocated and the largest heap
// seen since Start. It is called once.
func (m *Meter) Stop() (elapsed time.Duration, allocated, peak uint64) {
	close(m.quit)
	m.wg.Wait()
	return time.Since(m.start), readMetric(allocMetric) - m.allocated, max(m.peak, readMetric(heapMetric))
}

func readMetric(name string) uint64 {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0 // a Go release without it
	}
	return s[0].Value.Uint64()
}
