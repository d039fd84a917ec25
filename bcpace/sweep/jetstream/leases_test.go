package jetstream

import (
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bayescpace/bcpace/sweep"
)

// TestLeases: whatever workers do and whatever is lost, no task is with two workers or in no queue;
// a task is given up only after as many workers have ended as it may end, and workers that live finish
// all others.
//
//test:race
func TestLeases(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, tries := rapid.IntRange(1, 30).Draw(t, "tasks"), rapid.IntRange(1, 4).Draw(t, "tries")
		lease := time.Second
		var tasks []sweep.Task
		for i := range n {
			tasks = append(tasks, sweep.Task{Key: strconv.Itoa(i)})
		}
		l := newLeases(tasks, tries, lease)
		now := time.Unix(0, 0)
		has := make(map[string]map[string]bool) // what each worker believes to have
		ended := make(map[string]int)           // workers that had this task and are taken to have ended
		answered := make(map[string]bool)
		worker := func() string { return strconv.Itoa(rapid.IntRange(0, 4).Draw(t, "worker")) }
		keys := func(w string) (keys []string) { return sortedKeys(has[w]) }
		take := func(w string) {
			g := l.take(w, now)
			if g == nil || rapid.IntRange(0, 4).Draw(t, "lost") == 0 {
				return
			}
			if answered[g.Key] {
				t.Fatalf("task %s is given after its answer", g.Key)
			}
			if has[w] == nil {
				has[w] = make(map[string]bool)
			}
			has[w][g.Key] = true
		}
		end := func(w string) { // has stays: a worker that was only silent goes on
			if h := l.holders[w]; h != nil {
				for i := range h.held {
					ended[tasks[i].Key]++
				}
			}
			if i, poisoned := l.end(w); poisoned {
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
			"back":   func(*rapid.T) { w := worker(); l.back(w); delete(has, w) },
			"end":    func(*rapid.T) { w := worker(); end(w); delete(has, w) },
			"wait":   func(*rapid.T) { now = now.Add(time.Duration(rapid.IntRange(0, 2000).Draw(t, "ms")) * time.Millisecond) },
			"silent": func(*rapid.T) {
				for _, w := range l.silent(now) {
					end(w)
				}
			},
			"": func(t *rapid.T) { consistent(t, l) },
		})
		for round := 0; finished(l) < n; round++ {
			if round > 10*n+10 {
				t.Fatalf("%d of %d tasks are done", finished(l), n)
			}
			for w := range 5 {
				w := strconv.Itoa(w)
				l.beat(w, keys(w), now, 0)
				if g := l.take(w, now); g != nil {
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
	if counts[queued] != l.queued {
		t.Fatalf("counts %v, want %d queued", counts, l.queued)
	}
}

// finished counts the tasks that are done.
func finished(l *leases) (n int) {
	for _, s := range l.state {
		if s.phase == done {
			n++
		}
	}
	return n
}

// TestPoisonIsAlone: a task that ends each worker is given up after as many workers as it may end, and takes
// none with it of those whose answers are on their way.
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
	for finished(l) < len(tasks) {
		var before *leased
		for g := l.take(strconv.Itoa(workers), now); g != nil && g.Key != "50"; g = l.take(strconv.Itoa(workers), now) {
			if before != nil {
				l.finish(before.Key)
			}
			before = g
		}
		if before != nil && l.queued == 0 {
			l.finish(before.Key)
			continue
		}
		if i, given := l.end(strconv.Itoa(workers)); given {
			poisoned = append(poisoned, i)
			l.finish(tasks[i].Key)
		}
		workers++
	}
	if len(poisoned) != 1 || poisoned[0] != 50 || workers != 3 {
		t.Errorf("given up: %v after %d workers, want task 50 after 3", poisoned, workers)
	}
}
