package jetstream

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestTaskThatEndsAsItTurnsSlow: a worker whose task ends at the very moment from which nothing
// may wait behind it takes tasks again. One that did not would hand back all that it is given,
// and ask again, without end.
func TestTaskThatEndsAsItTurnsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &joined{held: make(map[string]bool), ctx: context.Background()}
		w := &worker{name: "w", outgoing: make(chan struct{}, 1)}
		task := taskOf("hash", testInput{Milli: int(slowAfter / time.Millisecond)})
		task.Transient = true
		for range 500 {
			if err := w.compute(t.Context(), job{leased{Task: task, Tries: 1}, s}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			w.mu.Lock()
			slow := w.slow
			w.mu.Unlock()
			if slow {
				t.Fatal("no task is there, and the worker takes it to be slow")
			}
		}
		if n := len(w.outbox); n != 500 {
			t.Errorf("%d answers to tell, want 500", n)
		}
	})
}
