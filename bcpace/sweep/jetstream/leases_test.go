package jetstream

import (
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bayescpace/bcpace/sweep"
)

// TestLeases: whatever workers do and whatever is lost, no task is with two workers or in no queue;
// one that is given alone is its worker's only one; a task is given up only after as many
// workers have ended as it may end, and workers that live finish all others.
//
//test:race
func TestLeases(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, tries := rapid.IntRange(1, 30).Draw(t, "tasks"), rapid.IntRange(1, 4).Draw(t, "tries")
		lease := time.Second
		var tasks []sweep.Task
		for i := range n {
			tasks = append(tasks, sweep.Task{Key: strconv.Itoa(i), Input: make([]byte, rapid.SampledFrom([]int{0, 0, maxBatch / 2}).Draw(t, "input"))})
		}
		l := newLeases(tasks, tries, lease)
		now := time.Unix(0, 0)
		has := make(map[string]map[string]bool) // what each worker believes to have
		ended := make(map[string]int)           // workers that had this task and are taken to have ended
		answered := make(map[string]bool)
		worker := func() string { return strconv.Itoa(rapid.IntRange(0, 4).Draw(t, "worker")) }
		keys := func(w string) (keys []string) { return sortedKeys(has[w]) }
		take := func(w string) {
			got := l.take(w, rapid.IntRange(1, 10).Draw(t, "max"), now)
			if rapid.IntRange(0, 4).Draw(t, "lost") == 0 {
				return
			}
			if has[w] == nil {
				has[w] = make(map[string]bool)
			}
			for _, g := range got {
				if answered[g.Key] {
					t.Fatalf("task %s is given after its answer", g.Key)
				}
				has[w][g.Key] = true
			}
		}
		end := func(w string) { // has stays: a worker that was only silent goes on
			if h := l.holders[w]; h != nil {
				for i := range h.held {
					ended[tasks[i].Key]++
				}
			}
			for _, i := range l.end(w) {
				if k := tasks[i].Key; ended[k] < tries {
					t.Fatalf("task %s is given up after %d workers, want %d", k, ended[k], tries)
				} else if _, ok := l.finish(k); ok {
					answered[k] = true
				}
			}
		}
		finish := func(w string) {
			if all := keys(w); len(all) > 0 {
				k := all[0]
				if _, ok := l.finish(k); ok == answered[k] {
					t.Fatalf("task %s: finish returns %v, answered before: %v", k, ok, answered[k])
				}
				answered[k] = true
				delete(has[w], k)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"ask": func(*rapid.T) {
				w := worker()
				l.beat(w, keys(w), now, 0)
				take(w)
			},
			"beat":   func(*rapid.T) { w := worker(); l.beat(w, keys(w), now, lease) },
			"finish": func(*rapid.T) { finish(worker()) },
			"back": func(*rapid.T) {
				w := worker()
				for _, k := range keys(w) {
					l.back(w, k)
					delete(has[w], k)
				}
			},
			"end":  func(*rapid.T) { w := worker(); end(w); delete(has, w) },
			"wait": func(*rapid.T) { now = now.Add(time.Duration(rapid.IntRange(0, 2000).Draw(t, "ms")) * time.Millisecond) },
			"silent": func(*rapid.T) {
				for _, w := range l.silent(now) {
					end(w)
				}
			},
			"": func(t *rapid.T) { consistent(t, l) },
		})
		for round := 0; l.done < n; round++ {
			if round > 10*n+10 {
				t.Fatalf("%d of %d tasks are done", l.done, n)
			}
			for w := range 5 {
				w := strconv.Itoa(w)
				l.beat(w, keys(w), now, 0)
				for _, g := range l.take(w, 3, now) {
					if has[w] == nil {
						has[w] = make(map[string]bool)
					}
					has[w][g.Key] = true
				}
				for len(keys(w)) > 0 {
					finish(w)
				}
			}
			consistent(t, l)
		}
	})
}

// consistent checks that the parts of leases agree.
func consistent(t *rapid.T, l *leases) {
	waits := make(map[int32]bool)
	for _, i := range append(append([]int32(nil), l.queue...), l.again...) {
		waits[i] = true
	}
	counts := make(map[phase]int)
	for i, s := range l.state {
		i := int32(i)
		counts[s.phase]++
		if s.phase == queued && !waits[i] {
			t.Fatalf("task %d is queued in no queue", i)
		}
		for name, h := range l.holders {
			if _, ok := h.held[i]; ok != (s.phase == given && s.holder == h) {
				t.Fatalf("task %d of phase %d: worker %s has it: %v", i, s.phase, name, ok)
			}
		}
		if s.phase == given && l.holders[s.holder.name] != s.holder {
			t.Fatalf("task %d is with worker %s, which has ended", i, s.holder.name)
		}
	}
	held := 0
	for name, keys := range l.load() {
		for _, k := range keys {
			if i := l.index[k]; l.state[i].phase != given || l.state[i].holder.name != name {
				t.Fatalf("worker %s has task %s by its load, and phase %d", name, k, l.state[i].phase)
			}
			held++
		}
	}
	if held != counts[given] {
		t.Fatalf("the load is %d tasks, want %d", held, counts[given])
	}
	if counts[queued] != l.queued || counts[done] != l.done {
		t.Fatalf("counts %v, want %d queued and %d done", counts, l.queued, l.done)
	}
}

// TestPoisonIsAlone: a task that ends each worker is found among others, is given up after as
// many workers as it may end beside the first one, and takes no other task with it.
//
//test:race
func TestPoisonIsAlone(t *testing.T) {
	var tasks []sweep.Task
	for i := range 100 {
		tasks = append(tasks, sweep.Task{Key: strconv.Itoa(i)})
	}
	l := newLeases(tasks, 3, time.Second)
	now := time.Now()
	var poisoned []int32
	workers := 0
	for l.done < len(tasks) {
		w := strconv.Itoa(workers)
		for _, g := range l.take(w, 20, now) {
			if g.Key == "50" {
				workers++
				if poisoned = l.end(w); poisoned != nil {
					l.finish("50")
				}
				break
			}
			l.finish(g.Key)
		}
	}
	if len(poisoned) != 1 || poisoned[0] != 50 || workers > 4 {
		t.Errorf("given up: %v after %d workers, want task 50 after 4 at most", poisoned, workers)
	}
}
