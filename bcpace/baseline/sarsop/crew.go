package sarsop

import (
	"sync"
	"sync/atomic"
)

// crew are the goroutines that share the parts of one backup. Parts do not touch
// each other's results, so that their order does not matter.
type crew struct {
	job  job
	node *node
	n    int64
	next atomic.Int64
	wake chan struct{}
	done sync.WaitGroup
}

// job is a kind of part.
type job int

const (
	jobUpper job = iota // outcome i of the action whose upper bound is made anew
	jobLower            // action cand[i] of the node whose lower bound is
)

// start starts one goroutine for each worker but the caller.
func (c *crew) start(t *tree) {
	c.wake = make(chan struct{}, len(t.work))
	for _, w := range t.work[1:] {
		go func() {
			for range c.wake {
				c.share(t, w)
				c.done.Done()
			}
		}()
	}
}

// stop ends them.
func (c *crew) stop() { close(c.wake) }

// run does the parts 0 … n−1 of a job, alone where there is little to do.
func (c *crew) run(t *tree, j job, n int, alone bool) {
	c.job, c.n = j, int64(n)
	c.next.Store(0)
	if !alone {
		for range min(n, len(t.work)) - 1 {
			c.done.Add(1)
			c.wake <- struct{}{}
		}
	}
	c.share(t, t.work[0])
	c.done.Wait()
}

// share does parts until none is left.
func (c *crew) share(t *tree, w *scratch) {
	for {
		i := c.next.Add(1) - 1
		switch {
		case i >= c.n:
			return
		case c.job == jobUpper:
			t.upperJob(w, int(i))
		default:
			t.refreshLower(w, c.node, int(t.cand[i]))
		}
	}
}
