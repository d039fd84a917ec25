package jetstream

import (
	"time"

	"bayescpace/bcpace/sweep"
)

// leases says which task is queued, which worker has it, and which is done. It keeps no
// clock: every call says what time it is. A task that a worker has when it ends may be what
// has ended it. Where the worker had several, any may be: from then on each is given to a
// worker that has no other, and its tries are counted.
type leases struct {
	tries   int           // how many workers a task may end
	lease   time.Duration // how long a worker may be silent
	tasks   []sweep.Task
	index   map[string]int32 // of tasks, by key
	state   []taskState
	queue   []int32 // those never given, and some that are queued no more
	again   []int32 // those given before, likewise; they come first
	queued  int
	done    int
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
	alone  bool // it must be the only task of its worker
	tries  uint16
	holder *holder
}

// holder is a worker.
type holder struct {
	name string
	sign time.Time           // when it gave the last sign of life
	held map[int32]time.Time // its tasks, and when each was given
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

// take gives a worker up to max tasks, none if there is nothing for it now.
func (l *leases) take(worker string, max int, now time.Time) (tasks []leased) {
	h := l.alive(worker, now)
	for i := range h.held {
		if l.state[i].alone {
			return nil
		}
	}
	// Near the end, several workers share what is left.
	max = min(max, 1+l.queued/(2*len(l.holders)))
	bytes := 0
	give := func(i int32) {
		l.set(i, given, h)
		h.held[i] = now
		bytes += len(l.tasks[i].Input)
		tasks = append(tasks, leased{l.tasks[i], int(l.state[i].tries) + 1})
	}
	fits := func(i int32) bool { return len(tasks) == 0 || bytes+len(l.tasks[i].Input) <= maxBatch }
	for k := 0; k < len(l.again) && len(tasks) < max; {
		i := l.again[k]
		switch {
		case l.state[i].phase != queued:
		case l.state[i].alone && len(h.held) > 0, !fits(i):
			k++
			continue
		default:
			give(i)
		}
		l.again = append(l.again[:k], l.again[k+1:]...)
		if len(tasks) == 1 && l.state[i].alone && l.state[i].phase == given {
			return tasks
		}
	}
	for len(l.queue) > 0 && len(tasks) < max {
		i := l.queue[0]
		if l.state[i].phase == queued {
			if l.state[i].alone { // it was adopted, and lost, before it was given
				l.queue = l.queue[1:]
				continue
			}
			if !fits(i) {
				break
			}
			give(i)
		}
		l.queue = l.queue[1:]
	}
	return tasks
}

// set moves a task to a phase.
func (l *leases) set(i int32, p phase, h *holder) {
	s := &l.state[i]
	switch s.phase {
	case queued:
		l.queued--
	case given:
		delete(s.holder.held, i)
	case done:
		l.done--
	}
	switch p {
	case queued:
		l.queued++
	case done:
		l.done++
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

// back puts a task that a worker has into the queue again. No try is counted.
func (l *leases) back(worker, key string) {
	i, ok := l.index[key]
	if !ok || l.state[i].phase != given || l.state[i].holder.name != worker {
		return
	}
	l.requeue(i)
}

func (l *leases) requeue(i int32) {
	l.set(i, queued, nil)
	l.again = append(l.again, i)
}

// beat notes which tasks a worker says that it has. Those that it was given longer ago than
// age and does not have were lost on the way to it, and are queued again. Those queued which
// it has from before the coordinator was started again are its own.
func (l *leases) beat(worker string, keys []string, now time.Time, age time.Duration) {
	h := l.alive(worker, now)
	has := make(map[int32]bool, len(keys))
	for _, k := range keys {
		if i, ok := l.index[k]; ok {
			has[i] = true
			if l.state[i].phase == queued {
				l.set(i, given, h)
				h.held[i] = now
			}
		}
	}
	for i, since := range h.held {
		if !has[i] && now.Sub(since) >= age {
			l.requeue(i)
		}
	}
}

// end takes its tasks from a worker that has ended, or is taken to have. It returns those
// that have now ended as many workers as they may.
func (l *leases) end(worker string) (poisoned []int32) {
	h := l.holders[worker]
	if h == nil {
		return nil
	}
	delete(l.holders, worker)
	count := len(h.held) == 1
	for i := range h.held {
		s := &l.state[i]
		s.alone = true
		if count {
			s.tries++
		}
		if int(s.tries) >= l.tries {
			poisoned = append(poisoned, i)
		}
		l.requeue(i)
	}
	return poisoned
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
