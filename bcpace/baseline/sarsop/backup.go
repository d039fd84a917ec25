package sarsop

import (
	"math"
	"slices"
)

// kidUpper lowers the upper bound of k, whose belief is b, by what is new among
// the points. k.q has room for the values of all actions.
func (t *tree) kidUpper(w *scratch, k *kid, b belief) {
	if k.known == 0 {
		k.f = math.Inf(-1)
		base := int(k.x) * t.ny
		for a := range k.q {
			k.q[a] = b.dot(t.q[a][base : base+t.ny])
			k.f = max(k.f, k.q[a])
		}
		k.upper = k.f
	}
	u := &t.upper[k.x]
	if u.last >= k.known {
		full := b.p
		if b.at != nil {
			full = w.dense
			for j, y := range b.at {
				full[y] = b.p[j]
			}
		}
		k.upper = u.sawtooth(full, b.signature(), k, k.upper)
		if b.at != nil {
			for _, y := range b.at {
				full[y] = 0
			}
		}
	}
	k.known = u.last + 1
}

// kidLower raises the lower bound of k, whose belief is b, by what is new among
// the vectors.
func (t *tree) kidLower(k *kid, b belief) {
	g := &t.gamma[k.x]
	k.lower, k.vec = g.best(b, k.lower, k.vec, k.seen)
	k.seen = g.last
}

// nodeLower raises the lower bound of n by the vectors that n has not seen yet.
func (t *tree) nodeLower(n *node) {
	g := &t.gamma[n.x]
	n.lower, n.vec = g.best(n.belief, n.lower, n.vec, n.seen)
	n.seen = g.last
}

// minSharedWork is the number of multiplications of a backup below which one goroutine is
// faster than several.
const minSharedWork = 4000

// refreshUpper computes the upper bound of action a at n from its outcomes.
func (t *tree) refreshUpper(n *node, a int) {
	act := &n.acts[a]
	t.branches = t.outcomes(t.work[0], n, a)
	t.kids = act.kids
	work := 0
	for i := range t.kids {
		k := &t.kids[i]
		if k.node != nil {
			k.upper = k.node.upper
			continue
		}
		if k.q == nil {
			q := make([]float64, len(t.kids)*t.na)
			for j := range t.kids {
				t.kids[j].q = q[j*t.na : (j+1)*t.na]
			}
		}
		work += t.upper[k.x].last + 1 - k.known
		if k.known == 0 {
			work += t.na * t.ny
		}
	}
	if work > 0 {
		t.pool.run(t, jobUpper, len(t.kids), 4*work < minSharedWork)
	}
	sum := 0.0
	for i := range t.kids {
		sum += t.kids[i].p * t.kids[i].upper
	}
	act.upper = min(act.upper, act.reward+t.Discount*sum)
	act.stamp = t.stamp
}

// upperJob is the part of refreshUpper for outcome i.
func (t *tree) upperJob(w *scratch, i int) {
	if k := &t.kids[i]; k.node == nil {
		t.kidUpper(w, k, t.branches[i].belief)
	}
}

// refreshLower makes the lower bound of action a at n anew from its outcomes. The
// nodes among them are up to date.
func (t *tree) refreshLower(w *scratch, n *node, a int) {
	act := &n.acts[a]
	out := t.outcomes(w, n, a)
	sum := 0.0
	for i := range act.kids {
		k := &act.kids[i]
		if k.node != nil {
			k.lower, k.vec = k.node.lower, k.node.vec
		} else {
			t.kidLower(k, out[i].belief)
		}
		sum += k.p * k.lower
	}
	act.lower = act.reward + t.Discount*sum
}

// updateKids brings the nodes among the outcomes of action a at n up to date.
func (t *tree) updateKids(n *node, a int) {
	for i := range n.acts[a].kids {
		if c := n.acts[a].kids[i].node; c != nil {
			t.nodeLower(c)
		}
	}
}

// backupUpper sets the upper bound of n to max_a of the upper bounds of its
// actions and returns the action that attains it. Bounds only fall, so an old
// bound of an action is a bound still: only actions that attain the maximum are
// computed again, until one is found that has been.
func (t *tree) backupUpper(n *node) int {
	t.stamp++
	for {
		best := 0
		for a := range n.acts {
			if n.acts[a].upper > n.acts[best].upper {
				best = a
			}
		}
		if act := &n.acts[best]; act.stamp == t.stamp {
			if act.upper < n.upper {
				n.upper = act.upper
				t.improved++
				t.upper[n.x].put(n)
			}
			return best
		}
		t.refreshUpper(n, best)
	}
}

// backupLower adds the vector of the best action at n, if it raises the lower
// bound of n. An action whose upper bound is below that lower bound is not it.
func (t *tree) backupLower(n *node) {
	t.nodeLower(n)
	t.cand = t.cand[:0]
	for a := range n.acts {
		if n.acts[a].upper > n.lower {
			t.cand = append(t.cand, int32(a))
			t.updateKids(n, a)
		}
	}
	if len(t.cand) == 0 {
		return
	}
	t.backups++
	t.pool.node = n
	t.pool.run(t, jobLower, len(t.cand), len(t.cand)*t.ny*t.fan < minSharedWork)
	best := int(t.cand[0])
	for _, a := range t.cand {
		if n.acts[a].lower > n.acts[best].lower {
			best = int(a)
		}
	}
	if n.acts[best].lower <= n.lower+1e-12*math.Abs(n.lower) {
		return
	}
	v := t.backward(n, best)
	if l := n.dot(v.value); l > n.lower {
		t.improved++
		n.vec = t.gamma[n.x].add(v)
		n.origin.best = n.vec
		n.lower, n.seen = l, n.vec.id
		t.prune(n.x)
	}
}

// backward makes the vector of action a at n, followed by the best vectors of
// its outcomes. Outcomes that are impossible at n may be followed by any vector.
func (t *tree) backward(n *node, a int) vector {
	w := t.work[0]
	w.next = w.next[:0]
	kids := n.acts[a].kids
	for _, to := range t.move[a*t.nx+int(n.x)].to {
		other := t.gamma[to].list[0]
		most := -1.0
		for len(kids) > 0 && kids[0].x == to {
			w.pick[kids[0].o] = kids[0].vec
			if kids[0].p > most {
				most, other = kids[0].p, kids[0].vec
			}
			kids = kids[1:]
		}
		for _, o := range t.sense[a*t.nx+int(to)].obs {
			if w.pick[o] == nil {
				w.pick[o] = other
			}
			w.next = append(w.next, w.pick[o])
			w.pick[o] = nil
		}
	}
	v := vector{x: n.x, action: int32(a), value: make([]float64, t.ny), next: slices.Clone(w.next), origin: n.origin}
	t.follow(w, v.value, v.x, a, v.next)
	for i, u := range v.next {
		v.next[i] = u.top()
	}
	return v
}

// follow fills v with the value, by y, of action a at x, followed by a vector for every
// x' that it can lead to and, within it, for every o that is possible there:
//
//	α(y) = R(x,y,a) + γ Σ_{x',y'} P(x',y'|x,y,a) Σ_o P(o|x',y',a) α_{x',o}(y')
func (p *problem) follow(w *scratch, v []float64, x int32, a int, next []*vector) {
	blk := &p.move[a*p.nx+int(x)]
	for place, to := range blk.to {
		see := &p.sense[a*p.nx+int(to)]
		here := next[:len(see.obs)]
		next = next[len(see.obs):]
		mix := w.mix[place*p.ny : (place+1)*p.ny]
		switch {
		case see.only >= 0:
			copy(mix, here[0].value)
		case see.col != nil:
			clear(mix)
			for k, u := range here {
				v := u.value
				for y, q := range see.col[k] {
					mix[y] += q * v[y]
				}
			}
		default:
			for k, o := range see.obs {
				w.pick[o] = here[k]
			}
			rows := p.Sense[a]
			for y := range mix {
				obs, po := rows.At(int(to)*p.ny + y)
				sum := 0.0
				for j, o := range obs {
					sum += po[j] * w.pick[o].value[y]
				}
				mix[y] = sum
			}
			for _, o := range see.obs {
				w.pick[o] = nil
			}
		}
	}
	reward := p.Reward[a][int(x)*p.ny:][:p.ny]
	if blk.same {
		for y := range v {
			v[y] = reward[y] + p.Discount*w.mix[y]
		}
		return
	}
	move := p.Move[a]
	for y := range v {
		col, val := move.At(int(x)*p.ny + y)
		sum, place := 0.0, 0
		for j, c := range col {
			for int(c) >= (int(blk.to[place])+1)*p.ny {
				place++
			}
			sum += val[j] * w.mix[int(c)+(place-int(blk.to[place]))*p.ny]
		}
		v[y] = reward[y] + p.Discount*sum
	}
}

// prune drops the vectors of x that are best at no node, once they have become
// twice as many as after the last time. It is the pruning of SARSOP by domination
// over the sampled beliefs, with δ = 0. Kids of nodes may still refer to a vector
// that was dropped, whose value is a lower bound as before, and vectors may have been
// made from it. Where a vector that stays is nowhere below it, that one takes its place.
func (t *tree) prune(x int32) {
	g := &t.gamma[x]
	if len(g.list) < 2*g.clean+8 {
		return
	}
	for _, n := range t.at[x] {
		t.nodeLower(n)
		n.vec.used = true
	}
	kept := g.list[:0]
	t.dropped = t.dropped[:0]
	for _, v := range g.list {
		if v.used {
			kept = append(kept, v)
		} else {
			t.dropped = append(t.dropped, v)
		}
		v.dropped = !v.used
		v.used = false
	}
	for _, v := range t.dropped {
		v.yield(kept)
	}
	clear(t.dropped)
	clear(g.list[len(kept):])
	g.list = kept
	g.clean = len(kept)
}
