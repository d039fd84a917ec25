package sarsop

import (
	"runtime"
	"sync/atomic"
)

// workerPool is the goroutines that share the parts of one backup. A part does not touch
// the results of another, so it does not matter which worker does it. A backup takes some
// ten microseconds, about as long as waking a thread. So a worker without work polls for
// the next backup for a while before it sleeps.
type workerPool struct {
	job func(worker, i int) // does part i

	open   atomic.Uint64 // n<<32 | i: of the job's n parts, i are taken
	left   atomic.Int64  // parts that are not done yet
	asleep atomic.Int64
	wake   chan struct{}
	over   atomic.Bool
}

// polls is how often a worker looks for work before it sleeps.
const polls = 1 << 16

// start starts the other workers; the caller is a worker too.
func (c *workerPool) start(workers int) {
	c.wake = make(chan struct{}, workers)
	for w := 1; w < workers; w++ {
		go c.help(w)
	}
}

// stop ends the workers that start has started.
func (c *workerPool) stop() {
	c.over.Store(true)
	close(c.wake)
}

func (c *workerPool) help(w int) {
	for idle := 0; !c.over.Load(); idle++ {
		if c.part(w) {
			idle = 0
		}
		if idle == polls {
			c.asleep.Add(1)
			if !c.part(w) { // a job may have begun before its caller saw asleep
				<-c.wake
			}
			c.asleep.Add(-1)
			idle = 0
		}
	}
}

// run does the parts 0 … n−1 of a job; with alone, the caller does them all.
func (c *workerPool) run(job func(worker, i int), n int, alone bool) {
	c.job = job
	if alone || n == 1 || cap(c.wake) == 1 {
		for i := range n {
			job(0, i)
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
	for c.part(0) {
	}
	for i := 1; c.left.Load() > 0; i++ {
		if i%1024 == 0 {
			runtime.Gosched()
		}
	}
}

// part does a part that no worker has taken yet, and reports whether there was one. The
// job cannot end before the part does, so the worker may read the job.
func (c *workerPool) part(w int) bool {
	for {
		o := c.open.Load()
		i := o & (1<<32 - 1)
		if i >= o>>32 {
			return false
		}
		if c.open.CompareAndSwap(o, o+1) {
			c.job(w, int(i))
			c.left.Add(-1)
			return true
		}
	}
}
