package cpace

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/columns"
	"bayescpace/bcpace/internal/knn"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/side"
	"bayescpace/bcpace/runs"
)

// controlFixedPoint computes the fixed point of B̃ for a model some of whose actions have a
// Box: by sweeps over the targets, each with a search for the best control, which begins with
// the one that was found before. A sweep reads the values of the last one alone, so that
// goroutines may share it.
//
// A search leaves up to ε_a out, the tolerance. So with a residual of ρ the values are within
// (ρ + γ·ε_a)/(1−γ) of the fixed point. As searches may leave out now more and now less, the
// residual need not become small; but after n sweeps the values are also within
// γⁿ·(Q̃max − Vmin) + γ·ε_a/(1−γ) of it.
//
// A search that is repeated finds the same, so a sweep leaves out the targets for which nothing has changed since. A sample
// that comes, or whose value Q_j changes, matters where it adds less than the bound U (controlSearch), with the lower
// of its two values: within (U − Q_j)/L_Q̃. Radius 0 of a target is (U − Q̃max)/L_Q̃, from which the search for such
// targets takes (Q_j − Q̃max)/L_Q̃. A sample that comes may also push out others that add less, where it is within the
// largest of their distances: radius 1 of a target.
type controlFixedPoint struct {
	est     *estimator
	targets knn.Index   // as sites whose samples lead there
	states  []float64   // by target
	beliefs []float64   // by target
	bounds  [][]float64 // by target: the upper bounds of the actions of the list in the place of boxes, if they differ
	value   []float64   // by target
	action  []int64     // by target: the greedy action
	widest  []float64   // by target: radius 1
	site    []int32     // by sample, of the index of its action
	open    []int32     // the targets that the next sweep looks at
	opened  []bool      // by target: it is one of them
	point   []float64
	reached []knn.Neighbor
	workers []*scratch
	next    []found // by place in open
	skips   bool    // what searches find is restored later
}

// found is what a search finds: the greedy action, its value, and radius 1 of the target.
type found struct {
	action        int64
	value, widest float64
}

func newControlFixedPoint(e *estimator, workers int) *controlFixedPoint {
	return &controlFixedPoint{est: e, workers: e.scratches(workers), targets: knn.Index{Dim: e.metric.Dim(), Periods: e.metric.Periods(), Radii: 2}, point: make([]float64, e.metric.Dim()+num.MaxBoxAxes)}
}

// add adds x to the sample set. Its value is that of its target, which is new if no sample
// leads there yet.
func (f *controlFixedPoint) add(x runs.Sample) {
	e := f.est
	id := int32(e.samples.Len())
	x.Q = x.Reward
	if !x.Done {
		e.metric.Embed(f.point, x.Next, x.NextBelief)
		t, fresh := f.targets.Add(f.point[:e.metric.Dim()], id)
		if fresh {
			f.addTarget(t, x.Next, x.NextBelief)
		}
		x.Q += e.spec.Discount * f.value[t]
	}
	e.samples.Add(x)
	index := num.BoxIndex(x.Action)
	site, _ := e.index[index].Add(e.embed(f.point, x.State, x.Belief, x.Action), id)
	f.site = append(f.site, site)
	if !f.skips {
		e.setRadius(index, site)
		f.openAround(id, x.Q)
		f.openReached(1, 0)
	}
}

// addTarget adds what is known of a target.
func (f *controlFixedPoint) addTarget(t int32, s []float64, b bcpace.Belief) {
	e, bounds, radius := f.est, []float64(nil), math.Inf(-1)
	if _, seeded := e.seeded(b); !seeded {
		top := e.top(s, b)
		if e.byAction {
			bounds = e.upperOnList(nil, s, b, 0, len(e.latent.(*controlValues).ids))
			top = slices.Max(bounds)
		}
		radius = -e.less(top)
	}
	f.states, f.beliefs, f.bounds = append(f.states, s...), append(f.beliefs, b...), append(f.bounds, bounds)
	f.value, f.action, f.widest, f.opened = append(f.value, 0), append(f.action, -1), append(f.widest, 0), append(f.opened, false)
	f.targets.SetRadius(t, 0, radius)
	if !f.skips {
		f.set(t, f.search(f.workers[0], t))
	}
}

// openAround has the next sweep look at the targets at which a sample adds less than the bound with value q.
func (f *controlFixedPoint) openAround(id int32, q float64) {
	e, x := f.est, f.est.samples.At(int(id))
	e.metric.Embed(f.point, x.State, x.Belief)
	f.openReached(0, -widened((e.set.qMax-q)/e.set.lip))
}

// openReached has the next sweep look at the targets whose radius number j, less that much, reaches point.
func (f *controlFixedPoint) openReached(j int, less float64) {
	f.reached = f.targets.Reached(f.reached, f.point, j, less)
	for _, n := range f.reached {
		if t := n.Site; !f.opened[t] {
			f.opened[t], f.open = true, append(f.open, t)
		}
	}
}

// solve sweeps until no value moves by more than ε_a, or by ε/1000·(1−γ)/γ where that is
// more, until γⁿ·(Q̃max − Vmin) ≤ ε_a after n sweeps, until the sweeps of Solver.Beta are
// made, or until ctx ends. Without the latter two all values are within ε_a/(1−γ) of the
// fixed point, or within twice the first limit. For the residual see Episode.
func (f *controlFixedPoint) solve(ctx context.Context) (sweeps int, residual float64) {
	set, γ := &f.est.set, f.est.spec.Discount
	limit := max(set.Epsilon/1000*(1-γ)/γ, set.tolerance)
	most := stepsTo(f.est.spec, set.tolerance, set.qMax-f.est.spec.VMin())
	if set.sweeps > 0 {
		most = min(most, set.sweeps)
	}
	for sweeps < most && !f.skips {
		var whole bool
		if residual, whole = f.sweep(ctx); !whole {
			break
		}
		if sweeps++; residual <= limit {
			break
		}
	}
	return sweeps, residual
}

// sweep backs every sample up once, and returns the largest change. whole is false, and
// nothing has changed, if ctx has ended before.
func (f *controlFixedPoint) sweep(ctx context.Context) (residual float64, whole bool) {
	if f.searchOpen(ctx); ctx.Err() != nil {
		return 0, false
	}
	swept := f.open
	f.open = nil
	for _, t := range swept {
		f.opened[t] = false
	}
	for k, t := range swept {
		if was := f.value[t]; f.set(t, f.next[k]) != was {
			residual = max(residual, f.est.spec.Discount*math.Abs(f.value[t]-was))
			f.backUp(t)
		}
	}
	return residual, true
}

// searchOpen searches at the open targets until ctx ends; next has what it finds.
func (f *controlFixedPoint) searchOpen(ctx context.Context) {
	f.next = slices.Grow(f.next[:0], len(f.open))[:len(f.open)]
	side.Each(len(f.workers), len(f.open), func(w, k int) {
		if ctx.Err() == nil {
			f.next[k] = f.search(f.workers[w], f.open[k])
		}
	})
}

// search finds the greedy action of a target.
func (f *controlFixedPoint) search(w *scratch, target int32) found {
	t, axes, latents := int(target), len(f.est.spec.Axes), len(f.est.spec.Latents)
	w.search.widest = 0
	v, a, _ := f.est.greedy(w, f.states[t*axes:(t+1)*axes], f.beliefs[t*latents:(t+1)*latents], f.bounds[t], int(f.action[t]))
	return found{int64(a), v, w.search.widest}
}

// set takes what a search has found, and returns the value.
func (f *controlFixedPoint) set(t int32, x found) float64 {
	f.targets.SetRadius(t, 1, x.widest)
	f.value[t], f.action[t], f.widest[t] = x.value, x.action, x.widest
	return x.value
}

// backUp gives the samples that lead to a target the values that its value says.
func (f *controlFixedPoint) backUp(t int32) {
	c := f.est.samples
	for _, id := range f.targets.Samples(t) {
		was := c.Q[id]
		c.Q[id] = c.Reward[id] + f.est.spec.Discount*f.value[t]
		f.est.setRadius(int(c.Action[id]), f.site[id])
		f.openAround(id, min(was, c.Q[id]))
	}
}

// Snapshot implements Snapshotter. The state is the values of the targets, their actions, of those that the next sweep
// does not look at the complement, and their radii 1.
func (f *controlFixedPoint) Snapshot() (*runs.Samples, []byte) {
	e := &columns.Encoder{Out: []byte{}}
	action := slices.Clone(f.action)
	for t, open := range f.opened {
		if !open {
			action[t] = ^action[t]
		}
	}
	f.columns(e, &action, true)
	return f.est.samples, e.Out
}

// columns passes the numbers of all targets to io; run files of version 5 have no radii.
func (f *controlFixedPoint) columns(io columns.Columns, action *[]int64, radii bool) {
	io.Floats(&f.value, len(f.value))
	if io.Longs(action, len(f.value)); radii {
		io.Floats(&f.widest, len(f.value))
	}
}

// skipping leaves all that searches find to restore, which brings it.
func (f *controlFixedPoint) skipping() { f.skips = true }

// restore puts what Snapshot has returned into a fixed point to which the same samples were
// added.
func (f *controlFixedPoint) restore(ctx context.Context, _ []float64, state []byte) error {
	var want columns.Counter
	c, searches := f.est.samples, len(state) == 16*len(f.value)
	if f.columns(&want, &f.action, true); len(state) != int(want) && !searches {
		return fmt.Errorf("%w: its state has %d bytes, and its samples lead to as many targets as take %d", runs.ErrFormat, len(state), int(want))
	}
	f.columns(&columns.Decoder{In: state}, &f.action, !searches)
	for t, v := range f.value {
		a := f.action[t]
		f.action[t], f.opened[t] = max(a, ^a), a >= 0
		if !num.Finite(v) || !f.est.spec.IsAction(int(f.action[t])) || math.IsNaN(f.widest[t]) {
			return fmt.Errorf("%w: its state holds the value %v, the action %d and the radius %v", runs.ErrFormat, v, a, f.widest[t])
		}
		for _, id := range f.targets.Samples(int32(t)) {
			c.Q[id] = c.Reward[id] + f.est.spec.Discount*v
		}
		f.open = append(f.open, int32(t))
	}
	f.est.setRadii()
	if searches {
		f.searchOpen(ctx)
		for t, x := range f.next {
			f.widest[t] = x.widest
		}
	}
	for t, radius := range f.widest {
		f.targets.SetRadius(int32(t), 1, radius)
	}
	f.open = slices.DeleteFunc(f.open, func(t int32) bool { return !f.opened[t] })
	f.skips = false
	return nil
}
