package pointbased

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// group is how many members have their backups from the same vectors in a Sweep. It does
// not depend on the number of workers, so that neither does the result.
const group = 16

// Sweep makes a backup at every member, the youngest first, and returns the largest rise of a
// lower bound by one of them. Each group has the vectors of the groups before.
func (t *Stages) Sweep(ctx context.Context) (rise float64) {
	for last := len(t.Members); last > 0 && ctx.Err() == nil; last -= group {
		list := t.Members[max(0, last-group):last]
		made, raises := t.Backups(ctx, list)
		for i, n := range list {
			before := n.Lower
			if raises[i] && t.Add(n, made[i]) {
				rise = max(rise, n.Lower-before)
			}
		}
	}
	return rise
}

// minSharedWork is the number of multiplications below which one goroutine makes backups
// faster than several.
const minSharedWork = 1 << 15

// Add is Set.Add, and counts the backups.
func (t *Stages) Add(n *StagePoint, v Vector) bool {
	t.backups++
	return t.VectorSet.Add(&n.BeliefPoint, v)
}

// Backups brings the lower bounds of different members up to date and makes a vector at each,
// and reports which of them raise the lower bound there. What it returns lasts until the next
// call. Where ctx ends, it leaves backups out.
func (t *Stages) Backups(ctx context.Context, list []*StagePoint) (made []Vector, raises []bool) {
	made, raises = slices.Grow(t.made[:0], len(list))[:len(list)], slices.Grow(t.raises[:0], len(list))[:len(list)]
	t.made, t.raises = made, raises
	var next atomic.Int64
	help := func(w *Scratch) {
		for i := int(next.Add(1)) - 1; i < len(list); i = int(next.Add(1)) - 1 {
			if raises[i] = false; ctx.Err() == nil {
				made[i], raises[i] = t.backup(w, list[i])
			}
		}
	}
	workers := min(len(t.work), len(list))
	if len(list)*t.NA*t.NY*t.Fan*(1+t.Len()/t.NX) < minSharedWork {
		workers = 1
	}
	var others sync.WaitGroup
	for _, w := range t.work[1:workers] {
		others.Go(func() { help(w) })
	}
	help(t.work[0])
	others.Wait()
	return made, raises
}

// backup brings the lower bound of n up to date and makes the vector of the action that is
// best there one step ahead of the vectors. ok is false where that raises the lower bound
// by no more than Tolerance.
//
// Several goroutines may call it, for different members at a time.
func (t *Stages) backup(w *Scratch, n *StagePoint) (v Vector, ok bool) {
	t.Raise(&n.BeliefPoint)
	t.InitialUpper(w.q, n.X, n.Belief)
	best, most := -1, n.Lower+t.Tolerance
	for a, upper := range w.q {
		if upper <= most {
			continue
		}
		base := int(n.X) * t.NY
		value := n.Dot(t.Reward[a][base:base+t.NY]) + t.Discount*t.ahead(w, n, a)
		if value > most && n.Raises(value) {
			best, most = a, value
		}
	}
	if best < 0 {
		return v, false
	}
	return t.Backward(w, &n.BeliefPoint, best, n.follow[best]), true
}

// ahead returns the mean of the lower bounds at the beliefs that follow action a at n, with
// a look at the vectors that are new since the last time.
func (t *Stages) ahead(w *Scratch, n *StagePoint, a int) (mean float64) {
	branches := w.Branches(t.SearchProblem, n.X, n.Belief, a)
	if n.follow[a] == nil {
		n.follow[a] = make([]BeliefOutcome, len(branches))
		for i, k := range branches {
			n.follow[a][i] = NewOutcome(k)
		}
	}
	for i := range n.follow[a] {
		k := &n.follow[a][i]
		t.RaiseAt(&k.Best, k.X, branches[i].Belief)
		mean += k.P * k.Lower
	}
	return mean
}

// prune drops the vectors that are best at no member, of the x that have members.
func (t *Stages) prune() {
	for x, list := range t.at {
		if len(list) == 0 || !t.Crowded(int32(x)) {
			continue
		}
		for _, n := range list {
			t.Raise(&n.BeliefPoint)
			n.Vec.Use()
		}
		t.DropUnused(int32(x))
	}
}
