// Package side has work done side by side.
package side

import (
	"sync"
	"sync/atomic"
)

// Each calls do(worker, i) for i = 0 … n−1, side by side by so many goroutines at most:
// worker is the number of the goroutine that calls. Which one calls for which i is left to
// chance. With one worker, or none, it calls them in turn.
func Each(workers, n int, do func(worker, i int)) {
	if workers = min(workers, n); workers <= 1 {
		for i := range n {
			do(0, i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(w, i)
			}
		})
	}
	wg.Wait()
}
