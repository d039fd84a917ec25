package jetstream

import (
	"time"

	"bayescpace/bcpace/sweep"
)

// leases says which task is queued, which worker has it, and which is done. It keeps no
// clock: every call says what time it is. The task that a worker was given last when it ends may be
// what has ended it, and its tries are counted: of the others it has the answers, which are on their way.
type leases struct {
	tries   int           // how many workers a task may end
	lease   time.Duration // how long a worker may be silent
	tasks   []sweep.Task
	index   map[string]int32 // of tasks, by key
	state   []taskState
	queue   []int32 // those never given, and some that are queued no more
	again   []int32 // those given before, likewise; they come first
	queued  int
	holders map[string]*holder
}

type phase uint8

const (
	queued phase = iota
	given
	done
)

type taskState struct {
	phase  phase
	tries  uint16
	holder *holder
}

// holder is a worker.
type holder struct {
	name string
	sign time.Time           // when it gave the last sign of life
	held map[int32]time.Time // its tasks, and when each was given
	last int32               // of them, which it computes
}

func newLeases(tasks []sweep.Task, tries int, lease time.Duration) *leases {
	l := &leases{tries: tries, lease: lease, tasks: tasks, queued: len(tasks),
		index: make(map[string]int32, len(tasks)), state: make([]taskState, len(tasks)),
		queue: make([]int32, len(tasks)), holders: make(map[string]*holder)}
	for i, t := range tasks {
		l.index[t.Key], l.queue[i] = int32(i), int32(i)
	}
	return l
}

// alive notes a sign of life of a worker.
func (l *leases) alive(worker string, now time.Time) *holder {
	h := l.holders[worker]
	if h == nil {
		h = &holder{name: worker, held: make(map[int32]time.Time)}
		l.holders[worker] = h
	}
	h.sign = now
	return h
}

// take gives a worker a task, nil if there is none.
func (l *leases) take(worker string, now time.Time) *leased {
	h := l.alive(worker, now)
	for _, queue := range []*[]int32{&l.again, &l.queue} {
		for len(*queue) > 0 {
			i := (*queue)[0]
			*queue = (*queue)[1:]
			if l.state[i].phase == queued {
				l.give(i, h, now)
				return &leased{l.tasks[i], int(l.state[i].tries) + 1}
			}
		}
	}
	return nil
}

func (l *leases) give(i int32, h *holder, now time.Time) {
	l.set(i, given, h)
	h.held[i], h.last = now, i
}

// set moves a task to a phase.
func (l *leases) set(i int32, p phase, h *holder) {
	s := &l.state[i]
	switch s.phase {
	case queued:
		l.queued--
	case given:
		delete(s.holder.held, i)
	}
	if p == queued {
		l.queued++
	}
	s.phase, s.holder = p, h
}

// finish makes a task done. It returns false if it was, or if there is no such task.
func (l *leases) finish(key string) (i int32, ok bool) {
	if i, ok = l.index[key]; !ok || l.state[i].phase == done {
		return i, false
	}
	l.set(i, done, nil)
	return i, true
}

func (l *leases) requeue(i int32) {
	l.set(i, queued, nil)
	l.again = append(l.again, i)
}

// beat notes which tasks a worker says that it has, the one that it computes at the end. Those that it was given longer ago than
// age and does not have were lost on the way to it, and are queued again. Those queued which
// it has from before the coordinator was started again are its own.
func (l *leases) beat(worker string, keys []string, now time.Time, age time.Duration) {
	h := l.alive(worker, now)
	has := make(map[int32]bool, len(keys))
	for _, k := range keys {
		if i, ok := l.index[k]; ok {
			has[i] = true
			if l.state[i].phase == queued {
				l.give(i, h, now)
			}
		}
	}
	for i, since := range h.held {
		if !has[i] && now.Sub(since) >= age {
			l.requeue(i)
		}
	}
}

// back takes its tasks from a worker that hands them back. No try is counted.
func (l *leases) back(worker string) {
	if h := l.holders[worker]; h != nil {
		delete(l.holders, worker)
		for i := range h.held {
			l.requeue(i)
		}
	}
}

// end takes its tasks from a worker that has ended, or is taken to have. poisoned says that task i has
// now ended as many workers as it may.
func (l *leases) end(worker string) (i int32, poisoned bool) {
	if h := l.holders[worker]; h != nil {
		if _, had := h.held[h.last]; had {
			i = h.last
			l.state[i].tries++
			poisoned = int(l.state[i].tries) >= l.tries
		}
		l.back(worker)
	}
	return i, poisoned
}

// load returns the keys of the tasks that each worker has.
func (l *leases) load() map[string][]string {
	load := make(map[string][]string, len(l.holders))
	for name, h := range l.holders {
		load[name] = make([]string, 0, len(h.held))
		for i := range h.held {
			load[name] = append(load[name], l.tasks[i].Key)
		}
	}
	return load
}

// silent returns the workers that have not been heard of for a lease.
func (l *leases) silent(now time.Time) (workers []string) {
	for name, h := range l.holders {
		if now.Sub(h.sign) > l.lease {
			workers = append(workers, name)
		}
	}
	return workers
}

// running returns the number of workers that have tasks.
func (l *leases) running() (n int) {
	for _, h := range l.holders {
		if len(h.held) > 0 {
			n++
		}
	}
	return n
}
