package certified

import (
	"context"
	"sync"

	"bayescpace/bcpace"
)

// batch plays the trials that have begun step by step side by side. New
// successors are entered in the order of the trials, and get their bounds from
// all workers; so do the sets of vectors that the backups have left with
// dominated ones. Neither depends on who does it, nor when. Where ctx is cancelled
// the trials turn back.
func (x *certifier) batch(ctx context.Context, row *bcpace.Episode) (moved bool) {
	e := x.env
	for going := true; going; {
		going = false
		for i := range x.trials {
			going = x.step(&x.trials[i]) || going
		}
		x.share(len(x.looks), func(i int) { e.look(x.looks[i]) })
		x.looks = x.looks[:0]
		x.taken = append(x.taken, make([]int32, len(e.state)-len(x.taken))...)
		for i := range x.trials {
			if t := &x.trials[i]; !t.over {
				x.follow(t)
				if !t.over {
					x.taken[t.at]++
				}
			}
		}
		if going && ctx.Err() != nil {
			x.cut = true
			break
		}
	}
	for i := range x.trials {
		for _, v := range x.trials[i].path {
			x.taken[v.node] = 0
		}
		if n := x.trials[i].at; n >= 0 {
			x.taken[n] = 0
		}
	}
	e.batch = true
	for i := range x.trials {
		row.Steps += len(x.trials[i].path)
		moved = x.backups(&x.trials[i]) || moved
	}
	e.batch = false
	x.share(e.States, func(s int) { e.best[s].Settle() })
	return moved
}

// share calls f(0) … f(n−1), side by side where there are enough of them.
func (x *certifier) share(n int, f func(i int)) {
	const least = 4 // less work than it takes to wake a worker
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
