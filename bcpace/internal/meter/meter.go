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
	start time.Time
	peak  uint64
	quit  chan struct{}
	wg    sync.WaitGroup
}

// sampleEvery is how often the heap is looked at; a look takes microseconds
// and stops nobody.
const sampleEvery = 10 * time.Millisecond

// Start begins to measure.
func Start() *Meter {
	m := &Meter{start: time.Now(), quit: make(chan struct{}), peak: heapSize()}
	m.wg.Go(func() {
		tick := time.NewTicker(sampleEvery)
		defer tick.Stop()
		for {
			select {
			case <-m.quit:
				return
			case <-tick.C:
				m.peak = max(m.peak, heapSize())
			}
		}
	})
	return m
}

// Stop returns the wall clock time and the largest heap seen since Start. It is called once.
func (m *Meter) Stop() (elapsed time.Duration, peak uint64) {
	close(m.quit)
	m.wg.Wait()
	return time.Since(m.start), max(m.peak, heapSize())
}

// heapSize returns the bytes of live and dead objects on the heap.
func heapSize() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0 // a Go release without it
	}
	return s[0].Value.Uint64()
}
