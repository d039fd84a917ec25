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
type controlFixedPoint struct {
	est     *estimator
	targets knn.Index       // as sites whose samples lead there
	states  []float64       // by target
	beliefs []float64       // by target
	known   []controlTarget // by target
	counted []int           // by target: the samples that known takes account of
	value   []float64       // by target
	action  []int64         // by target: the greedy action
	site    []int32         // by sample, of the index of its action
	fresh   []bool          // by sample: it was the first one there
	point   []float64
	workers []*scratch

	nextValue  []float64 // of a sweep
	nextAction []int64
}

func newControlFixedPoint(e *estimator, workers int) *controlFixedPoint {
	f := &controlFixedPoint{est: e, targets: knn.Index{Dim: e.metric.Dim(), Periods: e.metric.Periods()}, point: make([]float64, e.metric.Dim()+num.MaxBoxAxes)}
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
			f.states, f.beliefs = append(f.states, x.Next...), append(f.beliefs, x.NextBelief...)
			at, w := controlTarget{}, f.workers[0]
			if _, seeded := e.seeded(x.NextBelief); !seeded {
				w.search.prepare(&at, x.Next, x.NextBelief)
			}
			v, a, _ := e.greedy(w, x.Next, x.NextBelief, &at, -1)
			f.value, f.action = append(f.value, v), append(f.action, int64(a))
			f.known, f.counted = append(f.known, at), append(f.counted, int(id))
		}
		x.Q += e.spec.Discount * f.value[t]
	}
	e.samples.Add(x)
	site, fresh := e.index[num.BoxIndex(x.Action)].Add(e.embed(f.point, x.State, x.Belief, x.Action), id)
	f.site, f.fresh = append(f.site, site), append(f.fresh, fresh)
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
	n := len(f.value)
	value, action := slices.Grow(f.nextValue[:0], n)[:n], slices.Grow(f.nextAction[:0], n)[:n]
	side.Each(len(f.workers), n, func(w, t int) {
		if ctx.Err() == nil {
			v, a := f.search(f.workers[w], t)
			value[t], action[t] = v, int64(a)
		}
	})
	if ctx.Err() != nil {
		return 0, false
	}
	for t, v := range value {
		residual = max(residual, f.est.spec.Discount*math.Abs(v-f.value[t]))
	}
	f.value, f.nextValue, f.action, f.nextAction = value, f.value, action, f.action
	f.backUp()
	return residual, true
}

// search finds the greedy action of a target, and its value.
func (f *controlFixedPoint) search(w *scratch, t int) (value float64, action int) {
	e := f.est
	axes, latents, at := len(e.spec.Axes), len(e.spec.Latents), &f.known[t]
	s, b := f.states[t*axes:(t+1)*axes], bcpace.Belief(f.beliefs[t*latents:(t+1)*latents])
	if at.lines != nil {
		for id := f.counted[t]; id < len(f.site); id++ {
			w.search.add(at, s, b, int(e.samples.Action[id]), f.site[id], f.fresh[id])
		}
		f.counted[t] = len(f.site)
	}
	value, action, _ = e.greedy(w, s, b, at, int(f.action[t]))
	return value, action
}

// backUp gives all samples the values that those of their targets say.
func (f *controlFixedPoint) backUp() {
	c := f.est.samples
	for t, v := range f.value {
		for _, id := range f.targets.Samples(int32(t)) {
			c.Q[id] = c.Reward[id] + f.est.spec.Discount*v
		}
	}
}

// Snapshot implements Snapshotter. The state is the values of the targets, and their actions.
func (f *controlFixedPoint) Snapshot() (*runs.Samples, []byte) {
	e := &columns.Encoder{Out: []byte{}}
	f.columns(e)
	return f.est.samples, e.Out
}

func (f *controlFixedPoint) columns(io columns.Columns) {
	n := len(f.value)
	io.Floats(&f.value, n)
	io.Longs(&f.action, n)
}

// skipping and skip have nothing to do, as restore brings all that sweeps change.
func (f *controlFixedPoint) skipping()            {}
func (f *controlFixedPoint) skip(context.Context) {}

// restore puts the values of samples and what Snapshot has returned into a fixed point to
// which the same samples were added.
func (f *controlFixedPoint) restore(q []float64, state []byte) error {
	var want columns.Counter
	if f.columns(&want); len(state) != int(want) {
		return fmt.Errorf("%w: its state has %d bytes, and its samples lead to as many targets as take %d", runs.ErrFormat, len(state), int(want))
	}
	f.columns(&columns.Decoder{In: state})
	for t, v := range f.value {
		if a := int(f.action[t]); !num.Finite(v) || !f.est.spec.IsAction(a) {
			return fmt.Errorf("%w: its state holds the value %v and the action %d", runs.ErrFormat, v, a)
		}
	}
	copy(f.est.samples.Q, q)
	return nil
}
