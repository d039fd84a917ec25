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
// Box: by sweeps over all targets, each with a search for the best control, which begins with
// the one of the sweep before. A sweep reads the values of the last one alone, so that
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
	targets knn.Index       // as sites whose samples lead there
	states  []float64       // by target
	beliefs []float64       // by target
	known   []controlTarget // by target
	value   []float64       // by target
	action  []int64         // by target: the greedy action
	site    []int32         // by sample, of the index of its action
	open    []int32         // the targets that the next sweep looks at
	opened  []bool          // by target: it is one of them
	point   []float64
	reached []knn.Neighbor
	workers []*scratch

	sweeping   []int32   // the targets of this sweep
	nextValue  []float64 // by place in sweeping
	nextAction []int64
	nextWidest []float64
}

func newControlFixedPoint(e *estimator, workers int) *controlFixedPoint {
	f := &controlFixedPoint{est: e, targets: knn.Index{Dim: e.metric.Dim(), Periods: e.metric.Periods(), Radii: 2}, point: make([]float64, e.metric.Dim()+num.MaxBoxAxes)}
	for range workers {
		f.workers = append(f.workers, e.scratch())
	}
	return f
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
	e.setRadius(index, site)
	f.openAround(id, x.Q)
	f.openReached(1, 0)
}

// addTarget adds what is known of a target.
func (f *controlFixedPoint) addTarget(t int32, s []float64, b bcpace.Belief) {
	e, w, at := f.est, f.workers[0], controlTarget{}
	f.states, f.beliefs = append(f.states, s...), append(f.beliefs, b...)
	radius := math.Inf(-1)
	if _, seeded := e.seeded(b); !seeded {
		w.search.prepare(&at, s, b)
		radius = -e.less(at.most())
	}
	f.known, f.value, f.action, f.opened = append(f.known, at), append(f.value, 0), append(f.action, -1), append(f.opened, false)
	var widest float64
	f.value[t], f.action[t], widest = f.search(w, t)
	f.targets.SetRadius(t, 0, radius)
	f.targets.SetRadius(t, 1, widest)
}

// openTarget has the next sweep look at a target.
func (f *controlFixedPoint) openTarget(t int32) {
	if !f.opened[t] {
		f.opened[t], f.open = true, append(f.open, t)
	}
}

// openAround has the next sweep look at the targets at which a sample adds less than the bound with value q.
func (f *controlFixedPoint) openAround(id int32, q float64) {
	e, c := f.est, f.est.samples
	axes, latents := int32(len(e.spec.Axes)), int32(len(e.spec.Latents))
	e.metric.Embed(f.point, c.State[id*axes:(id+1)*axes], bcpace.Belief(c.Belief[id*latents:(id+1)*latents]))
	f.openReached(0, -widened((e.set.qMax-q)/e.set.lip))
}

// openReached has the next sweep look at the targets whose radius number j, less that much, reaches point.
func (f *controlFixedPoint) openReached(j int, less float64) {
	f.reached = f.targets.Reached(f.reached, f.point, j, less)
	for _, n := range f.reached {
		f.openTarget(n.Site)
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
	for sweeps < most {
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
	n := len(f.open)
	f.nextValue, f.nextAction, f.nextWidest = slices.Grow(f.nextValue[:0], n)[:n], slices.Grow(f.nextAction[:0], n)[:n], slices.Grow(f.nextWidest[:0], n)[:n]
	side.Each(len(f.workers), n, func(w, k int) {
		if ctx.Err() == nil {
			f.nextValue[k], f.nextAction[k], f.nextWidest[k] = f.search(f.workers[w], f.open[k])
		}
	})
	if ctx.Err() != nil {
		return 0, false
	}
	f.open, f.sweeping = f.sweeping[:0], f.open
	for _, t := range f.sweeping {
		f.opened[t] = false
	}
	for k, t := range f.sweeping {
		f.targets.SetRadius(t, 1, f.nextWidest[k])
		was := f.value[t]
		f.value[t], f.action[t] = f.nextValue[k], f.nextAction[k]
		if v := f.value[t]; v != was {
			residual = max(residual, f.est.spec.Discount*math.Abs(v-was))
			f.backUp(t)
		}
	}
	return residual, true
}

// search finds the greedy action and the value of a target, and radius 1.
func (f *controlFixedPoint) search(w *scratch, t int32) (value float64, action int64, widest float64) {
	e, i := f.est, int(t)
	axes, latents := len(e.spec.Axes), len(e.spec.Latents)
	s, b := f.states[i*axes:(i+1)*axes], bcpace.Belief(f.beliefs[i*latents:(i+1)*latents])
	w.search.widest = 0
	value, a, _ := e.greedy(w, s, b, &f.known[t], int(f.action[t]))
	return value, int64(a), w.search.widest
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

// Snapshot implements Snapshotter. The state is the values of the targets and their actions: of those that the next sweep
// does not look at, the complement.
func (f *controlFixedPoint) Snapshot() (*runs.Samples, []byte) {
	e := &columns.Encoder{Out: []byte{}}
	action := slices.Clone(f.action)
	for t, open := range f.opened {
		if !open {
			action[t] = ^action[t]
		}
	}
	f.columns(e, &action)
	return f.est.samples, e.Out
}

func (f *controlFixedPoint) columns(io columns.Columns, action *[]int64) {
	n := len(f.value)
	io.Floats(&f.value, n)
	io.Longs(action, n)
}

// skipping and skip have nothing to do, as restore brings all that sweeps change.
func (f *controlFixedPoint) skipping()            {}
func (f *controlFixedPoint) skip(context.Context) {}

// restore puts the values of samples and what Snapshot has returned into a fixed point to
// which the same samples were added.
func (f *controlFixedPoint) restore(q []float64, state []byte) error {
	var want columns.Counter
	if f.columns(&want, &f.action); len(state) != int(want) {
		return fmt.Errorf("%w: its state has %d bytes, and its samples lead to as many targets as take %d", runs.ErrFormat, len(state), int(want))
	}
	f.columns(&columns.Decoder{In: state}, &f.action)
	copy(f.est.samples.Q, q)
	f.est.setRadii()
	f.open = f.open[:0]
	for t, v := range f.value {
		a := f.action[t]
		f.action[t], f.opened[t] = max(a, ^a), a >= 0
		if !num.Finite(v) || !f.est.spec.IsAction(int(f.action[t])) {
			return fmt.Errorf("%w: its state holds the value %v and the action %d", runs.ErrFormat, v, a)
		}
		if f.opened[t] {
			f.open = append(f.open, int32(t))
		} else {
			_, _, widest := f.search(f.workers[0], int32(t))
			f.targets.SetRadius(int32(t), 1, widest)
		}
	}
	return nil
}
