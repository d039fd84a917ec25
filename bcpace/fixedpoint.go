package bcpace

import (
	"context"
	"math"

	"bayescpace/bcpace/internal/knn"
)

// fixedPoint computes the fixed point of the optimistic Bellman operator B̃ on
// a sample set,
//
//	Q̃(s_i, b_i, a_i) = r_i + γ·max_a Q̃(s'_i, b'_i, a),
//
// with Q̃(s'_i, b'_i, ·) by Definition Optimistic Value Estimate. The pair
// (s'_i, b'_i) is the sample's target. A target never moves, so its upper
// bounds, its neighbours and whether it is seeded are found once and kept, and
// samples that lead to the same target share them; a new sample only has to
// find its place in the lists that it enters.
type fixedPoint struct {
	est *estimator
	set settings

	targets knn.Brute        // the targets, as sites whose samples lead there
	upper   []float64        // targets × actions: upper bound
	near    [][]knn.Neighbor // targets × actions: the K nearest samples
	certain []float64        // by target: its value where it is seeded, otherwise NaN
	point   []float64        // scratch: an embedded pair
	scratch *scratch
}

func newFixedPoint(e *estimator) *fixedPoint {
	dim := e.metric.Dim()
	return &fixedPoint{est: e, set: e.set, targets: knn.Brute{Dim: dim}, point: make([]float64, dim), scratch: e.scratch()}
}

// add puts x into the sample set, into the index and into the neighbour lists
// that it enters, and gives it a first value.
func (f *fixedPoint) add(x Sample) {
	e := f.est
	x.Q = x.Reward // kept where the episode ended
	id := int32(e.samples.Add(x))
	e.metric.Embed(f.point, x.State, x.Belief)
	site, fresh := e.index[x.Action].Add(f.point, id)
	for t := range f.targets.Sites() {
		if list := &f.near[t*len(e.index)+x.Action]; math.IsNaN(f.certain[t]) {
			d := knn.Distance(f.targets.Point(int32(t)), e.index[x.Action].Point(site))
			*list = e.index[x.Action].Update(*list, site, d, fresh, f.set.K)
		}
	}
	if x.Done {
		return
	}
	e.metric.Embed(f.point, x.Next, x.NextBelief)
	t, fresh := f.targets.Add(f.point, id)
	if fresh {
		f.open(x)
	}
	e.samples.Q[id] = x.Reward + e.spec.Discount*f.value(int(t))
}

// open finds the lists and bounds of a new target, the one that x leads to.
func (f *fixedPoint) open(x Sample) {
	e := f.est
	certain := math.NaN()
	if l, ok := e.seeded(x.NextBelief); ok {
		certain = math.Inf(-1)
		for a := range e.index {
			certain = max(certain, e.latent.Q(x.Next, l, a))
		}
	}
	f.certain = append(f.certain, certain)
	for a := range e.index {
		f.upper = append(f.upper, e.upper(x.Next, x.NextBelief, a))
		var list []knn.Neighbor
		if math.IsNaN(certain) {
			f.scratch.near = e.index[a].Nearest(f.scratch.near, f.point, f.set.K)
			list = append(list, f.scratch.near...)
		}
		f.near = append(f.near, list)
	}
}

// value returns max over a of Q̃ at target t.
func (f *fixedPoint) value(t int) float64 {
	if v := f.certain[t]; !math.IsNaN(v) {
		return v
	}
	best := math.Inf(-1)
	for a := range f.est.index {
		list := t*len(f.est.index) + a
		best = max(best, f.est.average(f.near[list], a, f.upper[list]))
	}
	return best
}

// sweep backs every sample up once, target by target, the newest first, since
// values flow from the end of an episode to its start. It returns the largest
// change.
func (f *fixedPoint) sweep() (residual float64) {
	q, r := f.est.samples.Q, f.est.samples.Reward
	for t := f.targets.Sites() - 1; t >= 0; t-- {
		v := f.est.spec.Discount * f.value(t)
		for _, i := range f.targets.Samples(int32(t)) {
			backup := r[i] + v
			residual = max(residual, math.Abs(backup-q[i]))
			q[i] = backup
		}
	}
	return residual
}

// solve sweeps until the values are within ε/1000 of the fixed point, by the
// contraction's bound γ/(1−γ)·residual, or until the sweeps of Proposition
// Approximate Value Iteration are done. It stops early, between two sweeps,
// where ctx is cancelled.
func (f *fixedPoint) solve(ctx context.Context) (sweeps int, residual float64) {
	γ := f.est.spec.Discount
	tolerance := f.set.Epsilon / 1000 * (1 - γ) / γ
	for f.set.sweeps == 0 || sweeps < f.set.sweeps {
		residual = f.sweep()
		sweeps++
		if residual <= tolerance || ctx.Err() != nil {
			break
		}
	}
	return sweeps, residual
}
