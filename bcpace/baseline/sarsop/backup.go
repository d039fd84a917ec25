package sarsop

import (
	"math"
	"runtime"
	"sync/atomic"

	"gonum.org/v1/gonum/floats"

	"bayescpace/bcpace/baseline/pointbased"
)

// childUpper lowers the upper bound of k, whose belief is b, by what is new among
// the points. k.q has room for the values of all actions.
func (t *tree) childUpper(worker int, k *child, b pointbased.Belief, least float64) {
	w := t.work[worker]
	if k.known == 0 {
		k.f = t.InitialUpper(k.q, k.X, b)
		k.upper = min(k.upper, k.f)
		w.Work += t.NA * len(b.P)
	}
	u := &t.upper[k.X]
	if u.last >= k.known {
		w.Work += pointWork * (u.last + 1 - k.known)
		full := b.P
		if b.At != nil {
			full = w.Dense
			for j, y := range b.At {
				full[y] = b.P[j]
			}
		}
		if k.upper = u.sawtooth(full, b.Signature(), k, k.upper); u.hull != nil {
			k.upper = min(k.upper, u.hull.at(second(b.At, b.P)))
		}
		if b.At != nil {
			for _, y := range b.At {
				full[y] = 0
			}
		}
	}
	k.known = u.last + 1
	if t.grid != nil && !k.grid {
		k.grid = true
		if upper := t.gridUpper(worker, k.X, b); upper < k.upper {
			if k.upper = upper; k.more != nil {
				k.more.by = nil
			}
		}
	}
	if !k.ahead && t.Ahead != nil && k.P >= least {
		k.ahead = true
		if upper := t.oneStep(worker, k, b); upper < k.upper {
			if k.upper = upper; k.more != nil {
				k.more.by = nil
			}
		}
	}
}

// oneStep returns the tighter informed bound of k, whose belief is b, or a value that is at least
// k.upper. That of an action is at most its initial bound, so the actions with the largest of those come first.
func (t *tree) oneStep(worker int, k *child, b pointbased.Belief) float64 {
	w := t.work[worker]
	left := append(w.Order[:0], k.q...)
	w.Order = left
	best := math.Inf(-1)
	for best < k.upper {
		a := floats.MaxIdx(left)
		if left[a] <= best {
			break
		}
		left[a] = math.Inf(-1)
		best = max(best, t.aheadOf(worker, k.X, b, a))
	}
	return best
}

// minSharedWork is the number of multiplications of a backup below which one goroutine is
// faster than several.
const minSharedWork = 4000

// refreshUpper computes the upper bound of action a at n from its outcomes.
func (t *tree) refreshUpper(n *node, a int) {
	act := &n.acts[a]
	t.branches = t.outcomes(t.work[0], n, a)
	t.children = act.children
	work := 0
	for i := range t.children {
		k := &t.children[i]
		if k.node != nil {
			if k.upper = k.node.upper; k.more != nil {
				k.upper += k.more.slack
			}
			continue
		}
		if k.q == nil {
			q := make([]float64, len(t.children)*t.NA)
			for j := range t.children {
				t.children[j].q = q[j*t.NA : (j+1)*t.NA]
			}
		}
		work += t.upper[k.X].last + 1 - k.known
		if k.known == 0 {
			work += t.NA * t.NY
		}
	}
	t.least = math.Ldexp(lookShare, -act.looks)
	act.looks++
	if work > 0 {
		t.pool.run(t.refreshChild, len(t.children), 4*work < minSharedWork)
	}
	sum := 0.0
	for i := range t.children {
		sum += t.children[i].P * t.children[i].upper
	}
	act.upper = min(act.upper, act.reward+t.Discount*sum+t.Slip)
	act.stamp = t.stamp
}

// refreshChild is the part of refreshUpper for outcome i.
func (t *tree) refreshChild(worker, i int) {
	if k := &t.children[i]; k.node == nil && t.ctx.Err() == nil {
		t.childUpper(worker, k, t.branches[i].Belief, t.least)
	}
}

// refreshLower makes the lower bound of action a at n anew from its outcomes. The
// nodes among them are up to date.
func (t *tree) refreshLower(w *pointbased.Scratch, n *node, a int) {
	act := &n.acts[a]
	out := t.outcomes(w, n, a)
	sum := 0.0
	for i := range act.children {
		k := &act.children[i]
		if k.node != nil {
			k.Lower, k.Vec = k.node.Lower, k.node.Vec
		} else if t.ctx.Err() == nil {
			w.Work += t.RaiseAt(&k.Best, k.X, out[i].Belief)
		}
		sum += k.P * k.Lower
	}
	act.lower = act.pay + t.LowerDiscount*sum
}

// updateChildren brings the nodes among the outcomes of action a at n up to date.
func (t *tree) updateChildren(n *node, a int) {
	for i := range n.acts[a].children {
		if c := n.acts[a].children[i].node; c != nil {
			t.Raise(&c.BeliefPoint)
		}
	}
}

// backupUpper sets the upper bound of n to max_a of the upper bounds of its
// actions and returns the action that attains it. Bounds only fall, so an old
// bound of an action is a bound still: only actions that attain the maximum are
// computed again, until one is found that has been.
func (t *tree) backupUpper(n *node) int {
	t.stamp++
	t.lookAhead(n)
	for {
		_, best := n.most()
		if act := &n.acts[best]; act.stamp == t.stamp {
			if act.upper < n.upper {
				n.upper = act.upper
				t.improved++
				t.upper[n.X].put(n)
			}
			return best
		}
		t.refreshUpper(n, best)
	}
}

// backupLower adds the vector of the best action at n, if it raises the lower
// bound of n. An action whose upper bound is below that lower bound is not it.
func (t *tree) backupLower(n *node) {
	t.Raise(&n.BeliefPoint)
	t.cand = t.cand[:0]
	for a := range n.acts {
		if n.acts[a].upper > n.Lower && t.ctx.Err() == nil {
			t.cand = append(t.cand, int32(a))
			t.updateChildren(n, a)
		}
	}
	if len(t.cand) == 0 {
		return
	}
	t.backups++
	refresh := func(worker, i int) { t.refreshLower(t.work[worker], n, int(t.cand[i])) }
	t.pool.run(refresh, len(t.cand), len(t.cand)*t.NY*t.Fan < minSharedWork)
	if t.ctx.Err() != nil { // some outcomes may not be up to date
		return
	}
	best := int(t.cand[0])
	for _, a := range t.cand {
		if n.acts[a].lower > n.acts[best].lower {
			best = int(a)
		}
	}
	if !n.Raises(n.acts[best].lower) {
		return
	}
	t.follows = t.follows[:0]
	for i := range n.acts[best].children {
		t.follows = append(t.follows, n.acts[best].children[i].BeliefOutcome)
	}
	if t.Add(&n.BeliefPoint, t.Backward(t.work[0], &n.BeliefPoint, best, t.follows)) {
		t.improved++
		t.prune(n.X)
	}
}

// prune drops the vectors of x that are best at no node, once they have become
// twice as many as after the last time. It is the pruning of SARSOP by domination
// over the sampled beliefs, with δ = 0. Children of nodes may still refer to a vector
// that was dropped, whose value is a lower bound as before.
func (t *tree) prune(x int32) {
	if t.Crowded(x) {
		t.drop(x)
	}
}

// drop drops the vectors of x that are best at no node.
func (t *tree) drop(x int32) {
	for _, n := range t.at[x] {
		t.Raise(&n.BeliefPoint)
		n.Vec.Use()
	}
	t.DropUnused(x)
}

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
