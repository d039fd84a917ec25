package certified

import (
	"context"
	"sync"

	"bayescpace/bcpace/runs"
)

// playBatch plays the trials that have begun side by side, step by step. It adds new
// nodes in the order of the trials, and the workers share the computation of their
// bounds and, after the backups, the pruning of the sets of vectors. Neither depends on
// which worker does it, nor when. When ctx ends, the trials go no deeper, and are backed
// up from where they are.
func (x *finiteSearch) playBatch(ctx context.Context, row *runs.Episode) (moved bool) {
	e := x.bounds
	for going := true; going; {
		going = false
		for i := range x.trials {
			going = x.step(&x.trials[i]) || going
		}
		x.parallel(len(x.newNodes), func(i int) { e.initBounds(x.newNodes[i]) })
		x.newNodes = x.newNodes[:0]
		x.taken = append(x.taken, make([]int32, len(e.state)-len(x.taken))...)
		for i := range x.trials {
			if t := &x.trials[i]; !t.ended {
				x.descend(t)
				if !t.ended {
					x.taken[t.node]++
				}
			}
		}
		if going && ctx.Err() != nil {
			x.cutShort = true
			break
		}
	}
	for i := range x.trials {
		for _, v := range x.trials[i].path {
			x.taken[v.node] = 0
		}
		if n := x.trials[i].node; n >= 0 {
			x.taken[n] = 0
		}
	}
	e.deferPruning = true
	for i := range x.trials {
		row.Steps += len(x.trials[i].path)
		moved = x.backupTrial(ctx, &x.trials[i]) || moved
	}
	e.deferPruning = false
	x.parallel(e.States, func(s int) { e.best[s].Settle() })
	return moved
}

// parallel calls f(0) … f(n−1), on several workers if n is large enough.
func (x *finiteSearch) parallel(n int, f func(i int)) {
	const least = 4 // fewer calls take less time than to wake a worker
	if x.workers == 1 || n < least {
		for i := range n {
			f(i)
		}
		return
	}
	var wg sync.WaitGroup
	for w := range x.workers {
		wg.Go(func() {
			for i := w; i < n; i += x.workers {
				f(i)
			}
		})
	}
	wg.Wait()
}
