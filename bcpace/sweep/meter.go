package sweep

import (
	"runtime/metrics"
	"sync"
	"time"
)

// sampleEvery is how often the heap is looked at; a look takes microseconds
// and stops nobody.
const sampleEvery = 10 * time.Millisecond

// measure begins to measure the time and memory of a computation. Memory is that of the whole process, as Go keeps
// no account by goroutine. stop is called once: it returns the wall clock time and the largest heap seen since.
func measure() (stop func() (elapsed time.Duration, peak uint64)) {
	start, peak, quit := time.Now(), heapSize(), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for tick := time.Tick(sampleEvery); ; {
			select {
			case <-quit:
				return
			case <-tick:
				peak = max(peak, heapSize())
			}
		}
	})
	return func() (time.Duration, uint64) {
		close(quit)
		wg.Wait()
		return time.Since(start), max(peak, heapSize())
	}
}

// heapSize returns the bytes of live and dead objects on the heap.
func heapSize() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
