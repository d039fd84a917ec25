package cpace

import (
	"cmp"
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
	"bayescpace/bcpace/solverkit"
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
//
// There are two ways to the fixed point. Full sweeps back up every sample, as
// the paper does: they serve Solver.Beta, which counts them. Otherwise only
// what has changed is propagated (see propagation).
type fixedPoint struct {
	est *estimator

	targets knn.Index    // the targets, as sites whose samples lead there; radius a is the k-th distance for action a
	lists   []list       // targets × actions
	near    []neighbours // targets × actions: the sites of the lists
	certain []float64    // by target: its value where it is seeded, otherwise NaN
	changes *propagation // nil with full sweeps

	point   []float64      // an embedded pair
	workers []*scratch     // for the lists of new targets
	reached []knn.Neighbor // the targets whose lists a new sample enters
	skips   bool           // lists are found, and values brought, by restore
}

// list is the list of the K nearest samples of a target for one action, as far
// as a change of their values may need it.
type list struct {
	upper float64 // upper bound of the target's value
	dist  float64 // the distance of the last site, −1 where there is none
	last  int32   // the last site
	left  int32   // how many samples of the last one count
}

// holds reports whether the list has a site, given the site's distance.
func (l *list) holds(site int32, dist float64) bool {
	return dist < l.dist || dist == l.dist && site <= l.last
}

// neighbours are the sites of a list.
type neighbours struct {
	near  []knn.Neighbor
	total int32 // samples at them
}

func newFixedPoint(e *estimator, workers int) *fixedPoint {
	dim := e.metric.Dim()
	f := &fixedPoint{est: e, workers: e.scratches(workers), targets: knn.Index{Dim: dim, Periods: e.metric.Periods(), Radii: len(e.index)}, point: make([]float64, dim)}
	if e.set.sweeps == 0 {
		f.changes = newPropagation(f)
	}
	return f
}

// add adds x to the sample set, to the index and to the neighbour lists of which x is
// now a part. The first value of x is that of its target without x. If the target is
// new, add searches the samples for each action; if the site is new, it searches the
// targets. It also updates about K neighbour lists, if targets are spread like samples.
func (f *fixedPoint) add(x runs.Sample) {
	e := f.est
	id, target := int32(e.samples.Len()), int32(-1)
	x.Q = x.Reward // kept where the episode ended
	if !x.Done {
		e.metric.Embed(f.point, x.Next, x.NextBelief)
		t, fresh := f.targets.Add(f.point, id)
		if fresh {
			f.addTarget(t, x)
		}
		target = t
		if f.changes != nil {
			x.Q += e.spec.Discount * f.changes.value(t)
		} else if !f.skips {
			x.Q += e.spec.Discount * f.value(t)
		}
	}
	e.samples.Add(x)
	e.metric.Embed(f.point, x.State, x.Belief)
	site, fresh := e.index[x.Action].Add(f.point, id)
	if f.changes != nil {
		f.changes.join(id, int32(x.Action), site, target)
	}
	if f.skips {
		return
	}
	if fresh {
		f.reached = f.targets.Reached(f.reached, f.point, x.Action, 0)
		slices.SortFunc(f.reached, func(a, b knn.Neighbor) int { return cmp.Compare(a.Site, b.Site) })
		for _, n := range f.reached {
			f.enter(n.Site, x.Action, knn.Neighbor{Site: site, Dist: n.Dist}, true)
		}
	} else {
		f.recount(x.Action, site)
	}
}

// recount brings the lists that hold a site up to date, which has a sample more.
func (f *fixedPoint) recount(action int, site int32) {
	if f.changes != nil {
		src := f.changes.source(action, site)
		for i, u := range src.uses {
			f.enter(u.target, action, knn.Neighbor{Site: site, Dist: src.dist[i]}, false)
		}
		return
	}
	p := f.est.index[action].Point(site)
	for t := range int32(f.targets.Sites()) {
		if math.IsNaN(f.certain[t]) {
			f.enter(t, action, knn.Neighbor{Site: site, Dist: knn.PeriodicDistance(f.targets.Point(t), p, f.est.metric.Periods())}, false)
		}
	}
}

// enter brings a list up to date with one more sample at n: at a fresh site,
// which is nearer than the list's radius, or at one that the list may hold.
func (f *fixedPoint) enter(target int32, action int, n knn.Neighbor, fresh bool) {
	index := &f.est.index[action]
	i := int(target)*len(f.est.index) + action
	l := &f.lists[i]
	if !fresh && !l.holds(n.Site, n.Dist) {
		return
	}
	m := &f.near[i]
	// One sample comes in, and what was the K-th goes out, or one that was missing.
	out := l.upper
	if int(m.total) >= f.est.set.K {
		out = f.term(l, l.dist, index.Samples(l.last)[l.left-1])
	}
	before, total := len(m.near), int(m.total)
	m.near, total = index.Update(m.near, total, n, fresh, f.est.set.K)
	f.close(i, index, total)
	if !fresh && n.Site == l.last && int(l.left) < len(index.Samples(n.Site)) {
		return // the sample comes after the K that count
	}
	f.setRadius(target, action)
	if f.changes == nil {
		return
	}
	if fresh {
		before++
		f.changes.link(target, action, n)
	}
	for _, gone := range m.near[len(m.near):before] {
		f.changes.unlink(action, gone.Site)
	}
	const short = 32
	if f.est.set.K <= short {
		f.changes.renew(target, int32(action)) // as quickly: rounding should not decide between actions that tie
		return
	}
	samples := index.Samples(n.Site)
	in := f.term(l, n.Dist, samples[len(samples)-1])
	f.changes.move(target, int32(action), (in-out)/float64(f.est.set.K))
}

// term is what a sample at that distance adds to a list's estimate, times K.
func (f *fixedPoint) term(l *list, dist float64, id int32) float64 {
	return min(f.est.set.lip*dist+f.est.samples.Q[id], l.upper)
}

// close finds what follows from the sites of list i and the number of samples at them.
func (f *fixedPoint) close(i int, index *knn.Index, total int) {
	l, m := &f.lists[i], &f.near[i]
	m.total = int32(total)
	if len(m.near) > 0 {
		last := m.near[len(m.near)-1]
		l.dist, l.last = last.Dist, last.Site
		n := len(index.Samples(last.Site))
		l.left = int32(min(f.est.set.K-(total-n), n))
	}
}

// setRadius sets the distance from a target from which on a new site does not enter its list.
func (f *fixedPoint) setRadius(target int32, action int) {
	i, radius := int(target)*len(f.est.index)+action, -1.0 // out of reach
	if math.IsNaN(f.certain[target]) {
		if radius = f.lists[i].dist; int(f.near[i].total) < f.est.set.K {
			radius = math.Inf(1)
		}
	}
	f.targets.SetRadius(target, action, radius)
}

// addTarget adds a target, the one that x leads to.
func (f *fixedPoint) addTarget(t int32, x runs.Sample) {
	n := len(f.est.index)
	f.certain, f.lists, f.near = append(f.certain, 0), append(f.lists, make([]list, n)...), append(f.near, make([]neighbours, n)...)
	if f.changes != nil {
		f.changes.addTarget()
	}
	if !f.skips {
		f.find(f.workers[0], t, x.Next, x.NextBelief)
		f.open(t)
	}
}

// find finds the lists and bounds of a target, which is at that state and belief.
func (f *fixedPoint) find(w *scratch, t int32, s []float64, b bcpace.Belief) {
	e := f.est
	l, seeded := e.seeded(b)
	f.certain[t] = math.NaN()
	if seeded {
		f.certain[t], _ = num.Largest(len(e.index), func(a int) float64 { return e.latent.Q(s, l, a) })
	}
	for a := range e.index {
		i := int(t)*len(e.index) + a
		f.lists[i] = list{upper: e.upper(s, b, a), dist: -1}
		if !seeded {
			w.near = e.index[a].Nearest(w.near, f.targets.Point(t), f.est.set.K)
			f.near[i].near = append(make([]knn.Neighbor, 0, len(w.near)+1), w.near...)
			f.close(i, &e.index[a], e.index[a].Count(w.near))
		}
	}
}

// open lets new samples enter the lists of a target, which find has filled, and changes of values reach it.
func (f *fixedPoint) open(t int32) {
	for a := range f.est.index {
		f.setRadius(t, a)
	}
	if f.changes != nil {
		f.changes.open(t)
	}
}

// average is the optimistic estimate at target t for one action.
func (f *fixedPoint) average(t int32, action int) float64 {
	i := int(t)*len(f.est.index) + action
	return f.est.average(f.near[i].near, action, f.lists[i].upper)
}

// value returns max over a of Q̃ at target t.
func (f *fixedPoint) value(t int32) float64 {
	if v := f.certain[t]; !math.IsNaN(v) {
		return v
	}
	best, _ := num.Largest(len(f.est.index), func(a int) float64 { return f.average(t, a) })
	return best
}

// solve brings the values within ε/1000 of the fixed point, or as near to it as
// the sweeps of Proposition Approximate Value Iteration bring them. It stops
// early where ctx is cancelled. The work is counted in sweeps, as many backups
// as there are targets, rounded up; the residual is that of Episode.
func (f *fixedPoint) solve(ctx context.Context) (sweeps int, residual float64) {
	if f.changes != nil {
		return f.changes.solve(ctx)
	}
	// B̃ is a contraction: after a sweep that changed Q̃ by at most the residual,
	// ‖Q̃ − Q̃*‖ ≤ γ/(1−γ)·residual.
	γ := f.est.spec.Discount
	tolerance := f.est.set.Epsilon / 1000 * (1 - γ) / γ
	for sweeps < f.est.set.sweeps && !f.skips {
		residual = f.sweep()
		sweeps++
		if residual <= tolerance || ctx.Err() != nil {
			break
		}
	}
	return sweeps, residual
}

// sweep backs every sample up once, target by target, the newest first, since
// values flow from the end of an episode to its start. It returns the largest
// change.
func (f *fixedPoint) sweep() (residual float64) {
	q, r := f.est.samples.Q, f.est.samples.Reward
	for t := int32(f.targets.Sites()) - 1; t >= 0; t-- {
		v := f.est.spec.Discount * f.value(t)
		for _, i := range f.targets.Samples(t) {
			backup := r[i] + v
			residual = max(residual, math.Abs(backup-q[i]))
			q[i] = backup
		}
	}
	return residual
}

// Snapshot implements Snapshotter. The state encodes what the next rounds depend on and the samples do not
// hold: the values and means, with the rounding errors of all updates, and what follows from them; with
// full sweeps the values of the samples.
// Everything else follows from the order in which samples were added. The caller must
// call it between two rounds, when the queue is empty.
func (f *fixedPoint) Snapshot() (*runs.Samples, []byte) {
	var size columns.Counter
	f.columns(&size)
	io := &columns.Encoder{Out: make([]byte, 0, size)}
	f.columns(io)
	return f.est.samples, io.Out
}

// columns passes what the state encodes to io.
func (f *fixedPoint) columns(io columns.Columns) {
	if f.changes != nil {
		f.changes.columns(io)
	} else {
		io.Floats(&f.est.samples.Q, f.est.samples.Len())
	}
}

// skipping leaves the lists of targets, and all values, to restore, which brings them.
func (f *fixedPoint) skipping() { f.skips = true }

// restore puts what Snapshot has returned into a fixed point to which the same samples were
// added after a call of skipping, and ends that. q are the values of samples for a
// state of full sweeps without, as run files of version 5 have it.
func (f *fixedPoint) restore(ctx context.Context, q []float64, state []byte) error {
	f.skips = false
	side.Each(len(f.workers), f.targets.Sites(), func(w, t int) {
		if ctx.Err() == nil {
			x := f.est.samples.At(int(f.targets.Samples(int32(t))[0]))
			f.find(f.workers[w], int32(t), x.Next, x.NextBelief)
		}
		if w == 0 && t%lookEvery == 0 {
			solverkit.ReportPhase(ctx, "neighbours", float64(t)/float64(f.targets.Sites()))
		}
	})
	if ctx.Err() != nil {
		return nil
	}
	for t := range int32(f.targets.Sites()) {
		f.open(t)
	}
	if copy(f.est.samples.Q, q); f.changes == nil && len(state) == 0 {
		return nil
	}
	var want columns.Counter
	if f.columns(&want); len(state) != int(want) {
		return fmt.Errorf("%w: its state has %d bytes, and its samples lead to as many targets as take %d", runs.ErrFormat, len(state), int(want))
	}
	f.columns(&columns.Decoder{In: state})
	values := f.est.samples.Q
	if p := f.changes; p != nil {
		values = append([]float64{p.scale, p.limit}, p.rows...)
		for i := range p.groups {
			g := &p.groups[i]
			p.assign(g, g.reward+p.γ*p.value(g.target))
		}
	}
	for _, x := range values {
		if !num.Finite(x) {
			return fmt.Errorf("%w: its state holds the value %v", runs.ErrFormat, x)
		}
	}
	return nil
}

// columns passes the numbers of all targets to io.
func (p *propagation) columns(io columns.Columns) {
	size := append([]float64{p.scale, p.limit}, p.bars[:]...)
	io.Floats(&size, len(size))
	p.scale, p.limit = size[0], size[1]
	copy(p.bars[:], size[2:])
	io.Floats(&p.rows, len(p.rows))
	moves := make([]int32, len(p.states))
	for t, s := range p.states {
		moves[t] = int32(s.moves)
	}
	io.Ints(&moves, len(moves))
	for t, m := range moves {
		p.states[t].moves = int16(m)
	}
}
