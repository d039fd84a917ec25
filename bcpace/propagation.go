package bcpace

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
//   - best of a target is the largest of its means, and greedy its action.
//   - The residual of the samples that lead to a target, how far a backup would
//     move them, is therefore γ·|best − value|. Each target for which that
//     exceeds the limit is in the queue.
//
// An empty queue thus means ‖B̃Q̃ − Q̃‖ ≤ limit, and as B̃ is a γ-contraction
// with fixed point Q̃*, ‖Q̃ − Q̃*‖ ≤ ‖Q̃ − B̃Q̃‖ + ‖B̃Q̃ − B̃Q̃*‖ ≤ limit + γ‖Q̃ − Q̃*‖,
// hence ‖Q̃ − Q̃*‖ ≤ limit/(1−γ) ≤ ε/1000. (After a full sweep the bound is
// γ/(1−γ) times its largest change, since the sweep has made that change: here
// it is still to be made.) The queue does become empty: were some targets backed
// up for ever, these backups would be an asynchronous value iteration on them,
// whose changes vanish.
//
// Rounding: a mean found anew is off by at most K·2^-53 times the largest value,
// and each change adds at most 2^-51 times that; after maxMoves changes it is
// found anew. So a mean is off by at most noise, 2^-41 + K·2^-53 times the
// largest value. With limit = max(0.9·tolerance, 9·noise) the residuals that
// exact arithmetic would find are at most the tolerance (1−γ)·ε/1000, or 10·noise
// where that is more.
type propagation struct {
	f    *fixedPoint
	γ, k float64

	tolerance float64 // (1−γ)·ε/1000
	scale     float64 // the largest |value| so far
	limit     float64 // the residual up to which a target needs no backup

	targets  []target
	first    []int32    // by target: the first of the groups that lead to it, or −1
	groups   []group    // of samples
	sources  [][]source // by action and site
	queue    queue
	backups  int   // so far
	arranged int   // how many targets there were when they were arranged last
	loaded   int32 // kept so that loads ahead of use are not left out
}

// maxMoves is how many changes are added to a mean before it is found anew.
const maxMoves = 1024

// target is what is known of a target beside its lists, in half a line of the
// cache.
type target struct {
	value, best float64
	bar         float64 // |best − value| above which it goes into the queue, or to a higher level of it
	level       int32   // the level of the queue at which it waits, 0 for none
	greedy      int32
}

// group are the samples of one site that lead to one target with one reward:
// they have one value. A finite model has few groups of many samples, and the
// propagation sees groups where a sweep sees samples.
type group struct {
	action, site, target int32
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
	uses    []use // the lists that hold the site, and some that did
	gone    int32 // how many no longer do
	first   int32 // its first group, or −1
	samples int32 // how many there are
}

// use is a list that holds a site.
type use struct {
	target int32
	dist   float64
}

func newPropagation(f *fixedPoint) *propagation {
	γ := f.est.spec.Discount
	return &propagation{f: f, γ: γ, k: float64(f.set.K), tolerance: (1 - γ) * f.set.Epsilon / 1000, sources: make([][]source, len(f.est.index))}
}

// open takes in a new target whose lists are complete.
func (p *propagation) open(t int32) {
	x := target{value: p.f.certain[t]}
	for a := range p.sources {
		i := int(t)*len(p.sources) + a
		for _, n := range p.f.near[i].near {
			p.link(t, a, n)
		}
		p.f.lists[i].mean = p.f.average(t, a)
		p.grow(p.f.lists[i].upper)
	}
	x.best, x.greedy = p.best(t)
	if math.IsNaN(x.value) {
		x.value = x.best
	}
	p.targets, p.first = append(p.targets, x), append(p.first, -1)
	p.grow(x.value)
	p.rest(&p.targets[t])
}

// join takes in sample id: the action and site it is at, and the target it
// leads to, or −1. Sites are met in the order of their numbers.
func (p *propagation) join(id, action, site, target int32) {
	if int(site) == len(p.sources[action]) {
		p.sources[action] = append(p.sources[action], source{first: -1})
	}
	reward := p.f.est.samples.Reward[id]
	p.grow(reward)
	src := &p.sources[action][site]
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
	p.groups = append(p.groups, group{action: action, site: site, target: target, next: p.first[target], beside: src.first, id: id, reward: reward})
	g := int32(len(p.groups) - 1)
	p.first[target], src.first = g, g
}

// grow takes note of a value, and sets the limit after it, which never falls.
func (p *propagation) grow(v float64) {
	if v = math.Abs(v); v > p.scale || p.limit == 0 {
		p.scale = max(v, p.scale)
		noise := p.scale * (0x1p-41 + p.k*0x1p-53)
		p.limit = max(0.9*p.tolerance, 9*noise)
	}
}

// link notes that a list holds a site.
func (p *propagation) link(target int32, action int, n knn.Neighbor) {
	src := &p.sources[action][n.Site]
	src.uses = append(src.uses, use{target, n.Dist})
}

// unlink notes that a list no longer holds a site. The uses are looked through
// once a quarter of them are gone, so that this costs O(1) amortised. A list never
// takes a site up again, as sites are never removed.
func (p *propagation) unlink(action int, site int32) {
	src := &p.sources[action][site]
	if src.gone++; int(src.gone)*4 <= len(src.uses) {
		return
	}
	src.uses = slices.DeleteFunc(src.uses, func(u use) bool { return !p.list(u.target, action).holds(site, u.dist) })
	src.gone = 0
}

func (p *propagation) list(target int32, action int) *list {
	return &p.f.lists[int(target)*len(p.sources)+action]
}

// best returns the largest mean of a target, and the first action that has it.
func (p *propagation) best(t int32) (v float64, action int32) {
	v = math.Inf(-1)
	n := len(p.sources)
	lists := p.f.lists[int(t)*n : (int(t)+1)*n]
	for a := range lists {
		if m := lists[a].mean; m > v {
			v, action = m, int32(a)
		}
	}
	return v, action
}

// move changes the mean of a list, and puts its target into the queue if it
// needs a backup.
func (p *propagation) move(t, action int32, l *list, change float64) {
	mean := l.mean + change
	if l.moves++; l.moves > maxMoves {
		mean, l.moves = p.f.average(t, int(action)), 0
	}
	l.mean = mean
	x := &p.targets[t]
	switch {
	case mean > x.best:
		x.best, x.greedy = mean, action
	case action == x.greedy:
		x.best, x.greedy = p.best(t)
	default:
		return
	}
	if off := math.Abs(x.best - x.value); off > x.bar {
		limit := p.limit / p.γ
		level := p.queue.level(off / limit)
		x.level, x.bar = level, math.Ldexp(limit, int(level))
		p.queue.push(t, level)
	}
}

// rest makes a target wait at no level of the queue.
func (p *propagation) rest(x *target) { x.level, x.bar = 0, p.limit/p.γ }

// backUp gives the samples that lead to t their new value and changes the means
// that depend on them.
func (p *propagation) backUp(t int32) {
	x := &p.targets[t]
	was, is := x.value, x.best
	x.value = is
	p.grow(is)
	q := p.f.est.samples.Q
	for g := p.first[t]; g >= 0; {
		gr := &p.groups[g]
		q[gr.id] = gr.reward + p.γ*is
		for _, id := range gr.more {
			q[id] = gr.reward + p.γ*is
		}
		p.shift(gr, gr.reward+p.γ*was, gr.reward+p.γ*is)
		g = gr.next
	}
}

// shift changes the means that depend on a group, whose value was was and now is.
func (p *propagation) shift(g *group, was, is float64) {
	n, lip := len(p.sources), p.f.set.lip
	src := &p.sources[g.action][g.site]
	share := float64(1+len(g.more)) / p.k
	// The lists are far apart in memory. Loads without a branch in between
	// overlap, so that their lines arrive side by side.
	loaded, lists := int32(0), p.f.lists[g.action:]
	for _, u := range src.uses {
		loaded += lists[int(u.target)*n].last + p.targets[u.target].greedy
	}
	p.loaded += loaded
	for _, u := range src.uses {
		i := int(u.target)*n + int(g.action)
		l := &p.f.lists[i]
		if !l.holds(g.site, u.dist) {
			continue
		}
		change := (min(lip*u.dist+is, l.upper) - min(lip*u.dist+was, l.upper)) * share
		if change == 0 {
			continue
		}
		if l.last == g.site && src.samples > 1 && p.f.near[i].left < src.samples { // only the first of them count
			end := p.f.est.index[g.action].Samples(g.site)[p.f.near[i].left]
			change *= float64(g.count(end)) / float64(1+len(g.more))
		}
		p.move(u.target, g.action, l, change)
	}
}

// lookAhead loads what the next backups will read, a step further for each that
// is nearer: otherwise a backup waits for its group, then for the source, then for
// the uses, each from far away in memory.
func (p *propagation) lookAhead() {
	ahead := p.queue.ahead()
	if len(ahead) < 8 {
		return
	}
	loaded := p.first[ahead[7]] + p.targets[ahead[7]].greedy
	if g := p.first[ahead[5]]; g >= 0 {
		loaded += p.groups[g].site
	}
	if g := p.first[ahead[3]]; g >= 0 {
		loaded += p.source(g).first
	}
	if g := p.first[ahead[1]]; g >= 0 {
		if uses := p.source(g).uses; len(uses) > 0 {
			loaded += uses[0].target + uses[len(uses)/2].target + uses[len(uses)-1].target
		}
	}
	p.loaded += loaded
}

// source returns where the samples of a group are.
func (p *propagation) source(g int32) *source {
	return &p.sources[p.groups[g].action][p.groups[g].site]
}

// lookEvery is how many backups pass between two looks at the context.
const lookEvery = 256

// solve backs targets up until no residual exceeds the limit or ctx is
// cancelled. It returns the number of backups for each target, rounded up, and a
// bound of the residuals.
func (p *propagation) solve(ctx context.Context) (sweeps int, residual float64) {
	if n := len(p.targets); n > few && 4*(n-p.arranged) > n {
		p.arrange()
	}
	before := p.backups
	for {
		t, level, ok := p.queue.pop()
		if !ok {
			break
		}
		x := &p.targets[t]
		if x.level != level {
			continue
		}
		if p.rest(x); p.γ*math.Abs(x.best-x.value) <= p.limit {
			continue
		}
		p.lookAhead()
		p.backUp(t)
		if p.backups++; p.backups%lookEvery == 0 && ctx.Err() != nil {
			break
		}
	}
	n, backups := len(p.targets), p.backups-before
	if n == 0 {
		return 0, 0
	}
	if 4*backups < n && ctx.Err() == nil {
		// To look at every target would cost more than the backups did.
		return (backups + n - 1) / n, p.limit
	}
	for i := range p.targets {
		if x := &p.targets[i]; math.IsNaN(p.f.certain[i]) {
			residual = max(residual, p.γ*math.Abs(x.best-x.value))
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
	f, actions := p.f, len(p.sources)
	old := f.targets.Renumber()
	p.arranged = len(old)
	f.lists, f.near, f.certain = permuted(f.lists, old, actions), permuted(f.near, old, actions), permuted(f.certain, old, 1)
	p.targets, p.first = permuted(p.targets, old, 1), permuted(p.first, old, 1)
	now := make([]int32, len(old))
	for t, o := range old {
		now[o] = int32(t)
	}
	p.queue = queue{}
	for t, x := range p.targets {
		if x.level > 0 {
			p.queue.push(int32(t), x.level)
		}
	}
	// Groups in the order of their targets, and uses in that of the groups.
	for a := range p.sources {
		for i := range p.sources[a] {
			p.sources[a][i].first = -1
		}
	}
	groups := make([]group, 0, len(p.groups)+len(p.groups)/4)
	var uses arena
	for t := range p.first {
		next := p.first[t]
		p.first[t] = -1
		for next >= 0 {
			g := p.groups[next]
			next = g.next
			src := &p.sources[g.action][g.site]
			if src.first < 0 {
				src.uses = uses.take(src.uses, now)
			}
			g.target, g.next, g.beside = int32(t), p.first[t], src.first
			groups = append(groups, g)
			p.first[t], src.first = int32(len(groups)-1), int32(len(groups)-1)
		}
	}
	p.groups = groups
	for a := range p.sources { // what no group leads from
		for i := range p.sources[a] {
			if src := &p.sources[a][i]; src.first < 0 {
				src.uses = uses.take(src.uses, now)
			}
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

// arena hands out room for uses that is together in memory.
type arena struct{ free []use }

// take returns a copy of uses under the targets' new numbers, with room for more.
func (m *arena) take(uses []use, now []int32) []use {
	const chunk = 1 << 14
	room := len(uses) + len(uses)/4 + 1
	if room > len(m.free) {
		m.free = make([]use, max(chunk, room))
	}
	to := m.free[:len(uses):room]
	m.free = m.free[room:]
	for i, u := range uses {
		to[i] = use{now[u.target], u.dist}
	}
	return to
}
