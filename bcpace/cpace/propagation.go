package cpace

import (
	"context"
	"math"
	"slices"

	"bayescpace/bcpace/internal/knn"
)

// propagation finds the fixed point of B̃ by prioritised asynchronous value
// iteration: a target whose value has changed is backed up, largest change
// first, and the change goes to the lists that hold the samples which lead to
// it, and to nothing else.
//
// Invariants, between two calls:
//
//   - value of a target is what every sample leading there was last backed up
//     with: q = r + γ·value.
//   - mean of a list is Definition Optimistic Value Estimate on its samples'
//     present q, up to rounding. A change of q is added to the means it touches,
//     as the difference it makes to its term min(L·d + q, up), and a new sample
//     as the difference to the term it replaces; so changes add up, with their
//     signs, until they are worth a backup.
//   - The residual of the samples that lead to a target, how far a backup would
//     move them, is therefore γ·|best − value|, where best is the largest of its
//     means. Each target for which that exceeds the limit is in the queue, at a
//     level whose bar |best − value| does not exceed.
//
// An empty queue thus means ‖B̃Q̃ − Q̃‖ ≤ limit, and as B̃ is a γ-contraction
// with fixed point Q̃*, ‖Q̃ − Q̃*‖ ≤ ‖Q̃ − B̃Q̃‖ + ‖B̃Q̃ − B̃Q̃*‖ ≤ limit + γ‖Q̃ − Q̃*‖,
// hence ‖Q̃ − Q̃*‖ ≤ limit/(1−γ) ≤ ε/1000. (After a full sweep the bound is
// γ/(1−γ) times its largest change, since the sweep has made that change: here
// it is still to be made.) The queue does become empty: were some targets backed
// up without end, these backups would be an asynchronous value iteration on them,
// whose changes vanish.
//
// Rounding: a mean computed again is off by at most K·2^-53 times the largest value,
// and each change adds at most 2^-51 times that; after maxMoves changes of a
// target's means they are computed again. So a mean is off by at most noise, 2^-41 + K·2^-53 times the
// largest value. With limit = max(0.9·tolerance, 9·noise) the residuals that
// exact arithmetic would find are at most the tolerance (1−γ)·ε/1000, or 10·noise
// where that is more.
//
// Memory: at 100,000 samples a backup waits for memory more than it computes.
// What each change of a mean reads and writes is therefore together in rows and
// states, a line of the cache for each target it reaches, and what few of them
// need is elsewhere.
type propagation struct {
	f    *fixedPoint
	γ, k float64

	tolerance float64         // (1−γ)·ε/1000
	scale     float64         // the largest |value| so far
	limit     float64         // the residual up to which a target needs no backup
	bars      [levels]float64 // by level: |best − value| up to which a target may stay there

	rows     []float64 // targets × (value, mean for each action)
	states   []state   // of targets
	first    []int32   // by target: the first of the groups that lead to it, or −1
	groups   []group   // of samples
	sources  []source  // in the order of the groups, as far as they are arranged
	at       [][]int32 // by action and site: the source
	queue    queue
	backups  int     // so far
	arranged int     // how many targets there were when they were arranged last
	loaded   float64 // kept so that loads ahead of use are not left out
}

// maxMoves is how many changes are added to a target's means before they are
// computed again.
const maxMoves = 1024

// state is where a target stands.
type state struct {
	level int16 // the level of the queue at which it waits, 0 for none
	moves int16 // changes of its means since they were computed again
}

// group are the samples of one site that lead to one target with one reward:
// they have one value. A finite model has few groups of many samples, and the
// propagation sees groups where a sweep sees samples.
type group struct {
	action, site, target int32
	source               int32 // of the site
	next                 int32 // the next group that leads to the target, or −1
	beside               int32 // the next group of the site, or −1
	id                   int32 // the first sample
	reward               float64
	more                 []int32 // the other samples, increasing
}

// count returns how many of the samples come before sample end.
func (g *group) count(end int32) int {
	if g.id >= end {
		return 0
	}
	n, _ := slices.BinarySearch(g.more, end)
	return 1 + n
}

// source is what depends on the samples of a site.
type source struct {
	uses    []use     // the lists that hold the site, and some that did
	dist    []float64 // by use: the distance
	gone    int32     // how many uses are none any more
	first   int32     // its first group, or −1
	samples int32     // how many there are
}

// use is a list that holds a site. As long as the value of a sample there is at
// most free, its term in the list is not cut off by the upper bound.
type use struct {
	target int32
	free   float32
}

func newPropagation(f *fixedPoint) *propagation {
	γ := f.est.spec.Discount
	return &propagation{f: f, γ: γ, k: float64(f.est.set.K), tolerance: (1 - γ) * f.est.set.Epsilon / 1000, at: make([][]int32, len(f.est.index))}
}

// addTarget makes room for a new target.
func (p *propagation) addTarget() {
	p.rows = append(p.rows, make([]float64, 1+len(p.at))...)
	p.states, p.first = append(p.states, state{}), append(p.first, -1)
}

// open takes in a target whose lists are complete, the targets in the order of their numbers.
func (p *propagation) open(t int32) {
	value, means := p.row(t)
	for a := range p.at {
		p.linkAll(t, a)
		means[a] = p.f.average(t, a)
		p.grow(p.list(t, a).upper)
	}
	if *value = p.f.certain[t]; math.IsNaN(*value) {
		*value = slices.Max(means)
	}
	p.grow(*value)
}

// row returns the value of a target and its means.
func (p *propagation) row(t int32) (value *float64, means []float64) {
	n := len(p.at) + 1
	row := p.rows[int(t)*n : (int(t)+1)*n]
	return &row[0], row[1:]
}

// value returns what the samples that lead to a target were last backed up with.
func (p *propagation) value(t int32) float64 { return p.rows[int(t)*(len(p.at)+1)] }

// join adds sample id, with its action and site, and the target it leads to, or −1. New
// sites must come in the order of their numbers.
func (p *propagation) join(id, action, site, target int32) {
	if int(site) == len(p.at[action]) {
		p.at[action] = append(p.at[action], int32(len(p.sources)))
		p.sources = append(p.sources, source{first: -1})
	}
	reward := p.f.est.samples.Reward[id]
	p.grow(reward)
	at := p.at[action][site]
	src := &p.sources[at]
	src.samples++
	if target < 0 {
		return
	}
	for g := src.first; g >= 0; g = p.groups[g].beside {
		if gr := &p.groups[g]; gr.target == target && gr.reward == reward {
			gr.more = append(gr.more, id)
			return
		}
	}
	p.groups = append(p.groups, group{action: action, site: site, target: target, source: at, next: p.first[target], beside: src.first, id: id, reward: reward})
	g := int32(len(p.groups) - 1)
	p.first[target], src.first = g, g
}

// grow takes note of a value, and sets the limit after it, which never falls.
func (p *propagation) grow(v float64) {
	if v = math.Abs(v); v > p.scale || p.limit == 0 {
		p.scale = max(v, p.scale)
		noise := p.scale * (0x1p-41 + p.k*0x1p-53)
		limit := max(0.9*p.tolerance, 9*noise)
		if limit == p.limit {
			return
		}
		p.limit = limit
		for level := range p.bars {
			p.bars[level] = math.Ldexp(p.limit/p.γ, level)
		}
	}
}

// linkAll notes that a list holds its sites.
func (p *propagation) linkAll(target int32, action int) {
	for _, n := range p.f.near[int(target)*len(p.at)+action].near {
		p.link(target, action, n)
	}
}

// link notes that a list holds a site. The targets come in the order of their numbers.
func (p *propagation) link(target int32, action int, n knn.Neighbor) {
	src := p.source(action, n.Site)
	free := p.list(target, action).upper - p.f.est.set.lip*n.Dist
	src.uses = append(src.uses, use{target, math.Nextafter32(float32(free), float32(math.Inf(-1)))})
	src.dist = append(src.dist, n.Dist)
}

// unlink notes that a list no longer holds a site. The uses are looked through
// once a quarter of them are gone, so that this costs O(1) amortised, or before
// the next backup. A list never takes a site up again, as sites are never removed.
func (p *propagation) unlink(action int, site int32) {
	src := p.source(action, site)
	if src.gone++; int(src.gone)*4 > len(src.uses) {
		p.prune(src, action, site)
	}
}

// prune removes the uses that are gone.
func (p *propagation) prune(src *source, action int, site int32) {
	n := 0
	for i, u := range src.uses {
		if d := src.dist[i]; p.list(u.target, action).holds(site, d) {
			src.uses[n], src.dist[n] = u, d
			n++
		}
	}
	src.uses, src.dist, src.gone = src.uses[:n], src.dist[:n], 0
}

// source returns what depends on the samples of a site.
func (p *propagation) source(action int, site int32) *source { return &p.sources[p.at[action][site]] }

func (p *propagation) list(target int32, action int) *list {
	return &p.f.lists[int(target)*len(p.at)+action]
}

// best returns the largest mean of a target.
func (p *propagation) best(t int32) float64 {
	_, means := p.row(t)
	return slices.Max(means)
}

// move changes the mean of a list, and puts its target into the queue if it
// needs a backup.
func (p *propagation) move(t, action int32, change float64) {
	s := &p.states[t]
	if s.moves++; s.moves > maxMoves {
		s.moves = 0
		for a := range p.at {
			p.renew(t, int32(a))
		}
		return
	}
	_, means := p.row(t)
	p.put(t, action, means[action]+change)
}

// renew finds the mean of a list anew.
func (p *propagation) renew(t, action int32) { p.put(t, action, p.f.average(t, int(action))) }

// put sets the mean of a list.
func (p *propagation) put(t, action int32, mean float64) {
	s, bar := &p.states[t], 0.0
	value, means := p.row(t)
	was, is := means[action]-*value, mean-*value
	means[action] = mean
	if bar = p.bars[s.level]; is <= bar && (is >= -bar || was < -bar) {
		return // the best is not above the bar by this mean, nor below it for the lack of this one
	}
	off := math.Abs(p.best(t) - *value)
	if off <= bar {
		return
	}
	s.level = p.queue.level(off / p.bars[0])
	p.queue.push(t, s.level)
}

// backUp gives the samples that lead to t the value is, and changes the means
// that depend on them.
func (p *propagation) backUp(t int32, is float64) {
	value, _ := p.row(t)
	was := *value
	*value = is
	p.grow(is)
	for g := p.first[t]; g >= 0; {
		gr := &p.groups[g]
		p.assign(gr, gr.reward+p.γ*is)
		p.shift(gr, gr.reward+p.γ*was, gr.reward+p.γ*is)
		g = gr.next
	}
}

// assign gives the samples of a group the value q.
func (p *propagation) assign(g *group, q float64) {
	all := p.f.est.samples.Q
	all[g.id] = q
	for _, id := range g.more {
		all[id] = q
	}
}

// shift changes the means that depend on a group, whose value was was and now is.
func (p *propagation) shift(g *group, was, is float64) {
	src := &p.sources[g.source]
	if src.gone > 0 {
		p.prune(src, int(g.action), g.site)
	}
	// The rows are far apart in memory. Loads without a branch in between
	// overlap, so that their lines arrive side by side.
	loaded, n, means := 0.0, len(p.at)+1, p.rows[1+g.action:]
	for _, u := range src.uses {
		loaded += means[int(u.target)*n]
	}
	p.loaded += loaded
	top, all := max(was, is), (is-was)*float64(1+len(g.more))/p.k
	for i, u := range src.uses {
		change := all
		if src.samples > 1 || top > float64(u.free) {
			if change = p.change(g, src, i, was, is); change == 0 {
				continue
			}
		}
		p.move(u.target, g.action, change)
	}
}

// change is how far a mean is moved by a group whose samples do not all count or
// are cut off by the upper bound.
func (p *propagation) change(g *group, src *source, use int, was, is float64) float64 {
	l, bonus := p.list(src.uses[use].target, int(g.action)), p.f.est.set.lip*src.dist[use]
	count := 1 + len(g.more)
	if l.last == g.site && l.left < src.samples { // only the first of them count
		count = g.count(p.f.est.index[g.action].Samples(g.site)[l.left])
	}
	return (min(bonus+is, l.upper) - min(bonus+was, l.upper)) * float64(count) / p.k
}

// lookAhead loads what the next backups will read, a step further for each that
// is nearer: otherwise a backup waits for its group, then for the source, then for
// the uses, each from far away in memory.
func (p *propagation) lookAhead() {
	ahead := p.queue.ahead()
	if len(ahead) < 8 {
		return
	}
	loaded := p.value(ahead[7])
	if g := p.first[ahead[5]]; g >= 0 {
		loaded += p.groups[g].reward
	}
	if g := p.first[ahead[3]]; g >= 0 {
		loaded += float64(p.sources[p.groups[g].source].first)
	}
	if g := p.first[ahead[1]]; g >= 0 {
		if uses := p.sources[p.groups[g].source].uses; len(uses) > 0 {
			loaded += float64(uses[0].free + uses[len(uses)/2].free + uses[len(uses)-1].free)
		}
	}
	p.loaded += loaded
}

// lookEvery is how many backups pass between two looks at the context.
const lookEvery = 256

// solve backs targets up until no residual exceeds the limit or ctx is
// cancelled. It returns the number of backups for each target, rounded up, and a
// bound of the residuals.
func (p *propagation) solve(ctx context.Context) (sweeps int, residual float64) {
	if n := len(p.states); n > few && 4*(n-p.arranged) > n {
		p.arrange()
	}
	if p.f.skips {
		return 0, 0
	}
	before := p.backups
	for {
		t, level, ok := p.queue.pop()
		if !ok {
			break
		}
		s := &p.states[t]
		if s.level != level {
			continue
		}
		s.level = 0
		best := p.best(t)
		if math.Abs(best-p.value(t)) <= p.bars[0] {
			continue
		}
		p.lookAhead()
		p.backUp(t, best)
		if p.backups++; p.backups%lookEvery == 0 && ctx.Err() != nil {
			break
		}
	}
	n, backups := len(p.states), p.backups-before
	if n == 0 {
		return 0, 0
	}
	if 4*backups < n && ctx.Err() == nil {
		// To look at every target would cost more than the backups did.
		return (backups + n - 1) / n, p.limit
	}
	for t := range int32(n) {
		if math.IsNaN(p.f.certain[t]) {
			residual = max(residual, p.γ*math.Abs(p.best(t)-p.value(t)))
		}
	}
	return (backups + n - 1) / n, residual
}

// few is how many targets are not worth arranging.
const few = 64

// arrange renumbers the targets in the order of space, and lays out what backups
// read in that order: the lists and groups that a backup touches are then close
// to those of the backup before. It is done whenever a third as many targets have
// come, and costs O(K) for each.
func (p *propagation) arrange() {
	f, actions := p.f, len(p.at)
	old := f.targets.Renumber()
	p.arranged = len(old)
	f.lists, f.near, f.certain = permuted(f.lists, old, actions), permuted(f.near, old, actions), permuted(f.certain, old, 1)
	p.rows, p.states, p.first = permuted(p.rows, old, 1+actions), permuted(p.states, old, 1), permuted(p.first, old, 1)
	p.queue = queue{}
	for t, x := range p.states {
		if x.level > 0 {
			p.queue.push(int32(t), x.level)
		}
	}
	// Groups in the order of their targets, sources in that of the groups.
	groups := make([]group, 0, len(p.groups)+len(p.groups)/4)
	sources := make([]source, 0, len(p.sources)+len(p.sources)/4)
	moved := make([]int32, len(p.sources)) // by old number: the new one, and 1
	var uses arena[use]
	var dist arena[float64]
	take := func(i int32) int32 {
		if moved[i] == 0 {
			src := p.sources[i]
			n := len(src.uses) - int(src.gone)
			src.uses, src.dist, src.first, src.gone = uses.take(n), dist.take(n), -1, 0
			sources = append(sources, src)
			moved[i] = int32(len(sources))
		}
		return moved[i] - 1
	}
	for t := range p.first {
		next := p.first[t]
		p.first[t] = -1
		for next >= 0 {
			g := p.groups[next]
			next = g.next
			g.source = take(g.source)
			src := &sources[g.source]
			g.target, g.next, g.beside = int32(t), p.first[t], src.first
			groups = append(groups, g)
			p.first[t], src.first = int32(len(groups)-1), int32(len(groups)-1)
		}
	}
	for a := range p.at {
		for site, i := range p.at[a] {
			p.at[a][site] = take(i)
		}
	}
	p.groups, p.sources = groups, sources
	for t := range int32(len(old)) {
		for a := range p.at {
			p.linkAll(t, a)
		}
	}
}

// permuted returns blocks of x in the order of their old numbers.
func permuted[T any](x []T, old []int32, block int) []T {
	y := make([]T, 0, len(x)+len(x)/4)
	for _, o := range old {
		y = append(y, x[int(o)*block:(int(o)+1)*block]...)
	}
	return y
}

// arena allocates slices that are contiguous in memory.
type arena[T any] struct{ free []T }

// take returns an empty slice with room for n and more.
func (m *arena[T]) take(n int) []T {
	const chunk = 1 << 14
	room := n + n/4 + 1
	if room > len(m.free) {
		m.free = make([]T, max(chunk, room))
	}
	to := m.free[:0:room]
	m.free = m.free[room:]
	return to
}

// queue orders targets by how far they are from where they should be: by powers
// of two, and within one in the order in which they came. A target that has
// come to be further off is there twice; the entry at the lower level is void.
type queue struct {
	levels [levels]fifo // none waits at level 0
	top    int          // no level above it has entries
}

// levels is how many levels a queue has.
const levels = 64

// fifo is a list that is filled at the end and emptied from the head.
type fifo struct {
	targets []int32
	head    int
}

// level returns the level of a target that is off by so many limits, above 1.
func (q *queue) level(off float64) int16 {
	return int16(max(1, min(1+math.Ilogb(off), len(q.levels)-1)))
}

// push puts a target in.
func (q *queue) push(t int32, level int16) {
	q.levels[level].targets = append(q.levels[level].targets, t)
	q.top = max(q.top, int(level))
}

// pop takes the first target of the highest level out.
func (q *queue) pop() (t int32, level int16, ok bool) {
	for ; q.top > 0; q.top-- {
		l := &q.levels[q.top]
		if l.head < len(l.targets) {
			l.head++
			return l.targets[l.head-1], int16(q.top), true
		}
		l.targets, l.head = l.targets[:0], 0
	}
	return 0, 0, false
}

// ahead returns what is to come at the highest level, as far as it is known.
func (q *queue) ahead() []int32 {
	l := &q.levels[q.top]
	return l.targets[l.head:]
}
