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
//   - value[t] is the value that every sample leading to target t was last
//     backed up with: q = r + γ·value[t].
//   - mean[t, a] is Definition Optimistic Value Estimate on the list of t and a
//     at the samples' present q, up to rounding. A change of q is added to the
//     means it touches, as the difference it makes to its term min(L·d + q, up);
//     so changes add up, with their signs, until they are worth a backup.
//   - The residual of a sample that leads to t, how far a backup would move it,
//     is therefore γ·|max_a mean[t, a] − value[t]|. Each t for which that
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
// Rounding: a change adds at most 2^-52 times the largest value to the error of
// a mean, and a mean is found anew after maxShifts of them. So its error is at
// most noise, 2^-40 times the largest value, which is taken off the limit. Where
// the tolerance itself is not above that, the limit is noise.
type propagation struct {
	f    *fixedPoint
	γ, k float64

	tolerance float64 // (1−γ)·ε/1000
	scale     float64 // the largest |value| so far

	value   []float64   // by target
	mean    []float64   // targets × actions
	shifts  []int32     // targets × actions: changes of mean since it was found anew
	groups  []group     // of samples
	first   []int32     // by target: the first of the groups that lead to it, or −1
	sources [][]*source // by action and site

	queue queue
	left  float64 // the largest residual that may have been left unpropagated
}

// maxShifts is how many changes are added to a mean before it is found anew.
const maxShifts = 1024

// group are the samples of one site that lead to one target with one reward:
// they have one value. A finite model has few groups of many samples, and the
// propagation sees groups where a sweep sees samples.
type group struct {
	action, site, target int32
	next                 int32 // the next group that leads to the target, or −1
	beside               int32 // the next group of the site, or −1
	reward               float64
	ids                  []int32 // increasing
}

// source is what depends on the samples of a site.
type source struct {
	uses  []use // the lists that hold the site, and some that did
	gone  int   // how many no longer do
	first int32 // its first group, or −1
}

// use is a list that holds a site.
type use struct {
	target int32
	dist   float64
}

func newPropagation(f *fixedPoint) *propagation {
	γ := f.est.spec.Discount
	return &propagation{f: f, γ: γ, k: float64(f.set.K), tolerance: (1 - γ) * f.set.Epsilon / 1000, sources: make([][]*source, len(f.est.index))}
}

// open takes in a new target whose lists are complete.
func (p *propagation) open(t int32) {
	v := p.f.certain[t]
	for a := range p.sources {
		l := &p.f.lists[int(t)*len(p.sources)+a]
		for _, n := range l.near {
			p.link(t, a, n)
		}
		p.mean = append(p.mean, p.f.average(t, a))
		p.shifts = append(p.shifts, 0)
	}
	if math.IsNaN(v) {
		v = p.best(t)
	}
	p.value = append(p.value, v)
	p.first = append(p.first, -1)
	p.queue.level = append(p.queue.level, 0)
	p.grow(v)
}

// join takes in sample id: the action and site it is at, and the target it
// leads to, or −1. Sites are met in the order of their numbers.
func (p *propagation) join(id, action, site, target int32) {
	if int(site) == len(p.sources[action]) {
		p.sources[action] = append(p.sources[action], &source{first: -1})
	}
	reward := p.f.est.samples.Reward[id]
	p.grow(reward)
	if target < 0 {
		return
	}
	src := p.sources[action][site]
	for g := src.first; g >= 0; g = p.groups[g].beside {
		if gr := &p.groups[g]; gr.target == target && gr.reward == reward {
			gr.ids = append(gr.ids, id)
			return
		}
	}
	p.groups = append(p.groups, group{action: action, site: site, target: target, next: p.first[target], beside: src.first, reward: reward, ids: []int32{id}})
	g := int32(len(p.groups) - 1)
	p.first[target], src.first = g, g
}

func (p *propagation) grow(v float64) { p.scale = max(p.scale, math.Abs(v)) }

// link notes that a list holds a site.
func (p *propagation) link(target int32, action int, n knn.Neighbor) {
	src := p.sources[action][n.Site]
	src.uses = append(src.uses, use{target, n.Dist})
}

// unlink notes that a list no longer holds a site. The uses are looked through
// once half of them are gone, so that this costs O(1) amortised. A list never
// takes a site up again, as sites are never removed.
func (p *propagation) unlink(action int, site int32) {
	src := p.sources[action][site]
	if src.gone++; src.gone*2 <= len(src.uses) {
		return
	}
	src.uses = slices.DeleteFunc(src.uses, func(u use) bool { return !p.list(u.target, action).holds(site, u.dist) })
	src.gone = 0
}

func (p *propagation) list(target int32, action int) *list {
	return &p.f.lists[int(target)*len(p.sources)+action]
}

// best returns max over a of the means of a target.
func (p *propagation) best(t int32) float64 {
	n := len(p.sources)
	v := math.Inf(-1)
	for _, m := range p.mean[int(t)*n : (int(t)+1)*n] {
		v = max(v, m)
	}
	return v
}

// refresh finds the mean of a list anew.
func (p *propagation) refresh(t int32, action int) {
	i := int(t)*len(p.sources) + action
	p.mean[i], p.shifts[i] = p.f.average(t, action), 0
	p.touch(t)
}

// residual returns how far a backup would move the samples that lead to t.
func (p *propagation) residual(t int32) float64 { return p.γ * math.Abs(p.best(t)-p.value[t]) }

// limit is the residual up to which a target needs no backup.
func (p *propagation) limit() float64 {
	noise := p.scale * 0x1p-40
	return max(p.tolerance-noise, noise)
}

// touch puts a target whose mean has changed into the queue if it needs a backup.
func (p *propagation) touch(t int32) {
	residual := p.residual(t)
	if limit := p.limit(); residual > limit {
		p.queue.push(t, residual/limit)
	} else {
		p.left = max(p.left, residual)
	}
}

// backUp gives the samples that lead to t their new value and changes the means
// that depend on them.
func (p *propagation) backUp(t int32) {
	was, is := p.value[t], p.best(t)
	p.value[t] = is
	p.grow(is)
	q := p.f.est.samples.Q
	for g := p.first[t]; g >= 0; {
		gr := &p.groups[g]
		for _, id := range gr.ids {
			q[id] = gr.reward + p.γ*is
		}
		p.shift(gr, gr.reward+p.γ*was, gr.reward+p.γ*is)
		g = gr.next
	}
}

// shift changes the means that depend on a group, whose value was was and now is.
func (p *propagation) shift(g *group, was, is float64) {
	n, lip := len(p.sources), p.f.set.lip
	samples := p.f.est.index[g.action].Samples(g.site)
	for _, u := range p.sources[g.action][g.site].uses {
		i := int(u.target)*n + int(g.action)
		l := &p.f.lists[i]
		if !l.holds(g.site, u.dist) {
			continue
		}
		change := min(lip*u.dist+is, l.upper) - min(lip*u.dist+was, l.upper)
		if change == 0 {
			continue
		}
		count := len(g.ids)
		if l.last.Site == g.site && int(l.left) < len(samples) { // only the first of them count
			count, _ = slices.BinarySearch(g.ids, samples[l.left])
		}
		if p.shifts[i]++; p.shifts[i] > maxShifts {
			p.refresh(u.target, int(g.action))
			continue
		}
		p.mean[i] += change * float64(count) / p.k
		p.touch(u.target)
	}
}

// lookEvery is how many backups pass between two looks at the context.
const lookEvery = 256

// solve backs targets up until no residual exceeds the limit or ctx is
// cancelled.
func (p *propagation) solve(ctx context.Context) (sweeps int, residual float64) {
	backups, targets := 0, len(p.value)
	for {
		t, ok := p.queue.pop()
		if !ok {
			break
		}
		if p.residual(t) <= p.limit() {
			continue
		}
		p.backUp(t)
		if backups++; backups%lookEvery == 0 && ctx.Err() != nil {
			break
		}
	}
	// An exact residual costs a look at every target. Where little was to be
	// done, what may have been left behind is a bound at no cost.
	if 4*backups >= targets || !p.queue.empty() {
		p.left = 0
		for t := range int32(targets) {
			if math.IsNaN(p.f.certain[t]) {
				p.left = max(p.left, p.residual(t))
			}
		}
	}
	if targets == 0 {
		return 0, 0
	}
	return (backups + targets - 1) / targets, p.left
}
