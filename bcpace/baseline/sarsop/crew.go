package sarsop

import (
	"runtime"
	"sync/atomic"
)

// crew are the goroutines that share the parts of one backup. Parts do not touch
// each other's results, so that it does not matter who does which. A backup takes
// some ten microseconds, about what it takes to wake a thread: helpers therefore
// look out for the next one for a while before they sleep.
type crew struct {
	job  job
	node *node

	open   atomic.Uint64 // parts of the job under way, and how many are taken: n<<32 | i
	left   atomic.Int64  // parts that are not done
	asleep atomic.Int64
	wake   chan struct{}
	over   atomic.Bool
}

// job is a kind of part.
type job int

const (
	jobUpper job = iota // outcome i of the action whose upper bound is made anew
	jobLower            // action cand[i] of the node whose lower bound is
)

// patience is how often a helper looks for work before it sleeps.
const patience = 1 << 16

// start starts the helpers: one for each worker but the caller.
func (c *crew) start(t *tree) {
	c.wake = make(chan struct{}, len(t.work))
	for _, w := range t.work[1:] {
		go c.help(t, w)
	}
}

// stop ends them.
func (c *crew) stop() {
	c.over.Store(true)
	close(c.wake)
}

func (c *crew) help(t *tree, w *scratch) {
	for idle := 0; !c.over.Load(); idle++ {
		if c.part(t, w) {
			idle = 0
		}
		if idle == patience {
			c.asleep.Add(1)
			if !c.part(t, w) { // a job may have come before asleep was seen
				<-c.wake
			}
			c.asleep.Add(-1)
			idle = 0
		}
	}
}

// run does the parts 0 … n−1 of a job, without help where there is little to do.
func (c *crew) run(t *tree, j job, n int, alone bool) {
	c.job = j
	w := t.work[0]
	if alone || n == 1 || len(t.work) == 1 {
		for i := range n {
			c.do(t, w, i)
		}
		return
	}
	c.left.Store(int64(n))
	c.open.Store(uint64(n) << 32)
	for range c.asleep.Load() {
		select {
		case c.wake <- struct{}{}:
		default:
		}
	}
	for c.part(t, w) {
	}
	for i := 1; c.left.Load() > 0; i++ {
		if i%1024 == 0 {
			runtime.Gosched()
		}
	}
}

// part does a part that nobody has taken and tells whether there was one. Whoever
// takes a part holds up the end of its job, and so may read the job.
func (c *crew) part(t *tree, w *scratch) bool {
	for {
		o := c.open.Load()
		i := o & (1<<32 - 1)
		if i >= o>>32 {
			return false
		}
		if c.open.CompareAndSwap(o, o+1) {
			c.do(t, w, int(i))
			c.left.Add(-1)
			return true
		}
	}
}

func (c *crew) do(t *tree, w *scratch, i int) {
	if c.job == jobUpper {
		t.upperJob(w, i)
	} else {
		t.refreshLower(w, c.node, int(t.cand[i]))
	}
}
