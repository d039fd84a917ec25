package pointbased

import (
	"context"
	"iter"
	"slices"

	"bayescpace/bcpace/internal/mdp"
)

const (
	// closeSize bounds the entries of the chain of Close.
	closeSize = 4_000_000
	// closeWork bounds the entries that sweeps for the values of that chain meet, and closeLeast is how many sweeps there may be in any case.
	closeWork, closeLeast = 400_000_000, 100
	// closeShare is the 1−γ of that chain where no reward is below 0, for each share of all that can be earned by
	// which bounds are apart: a hundred steps lose a hundredth of the gap.
	closeShare = 1e-4
)

// Close makes the highest vectors of points anew together, so that the bounds at the start, which are gap apart, may
// be closer. Each is to be followed, after an observation, by the vector that is now the best where the one was
// made that followed so far. So they are a finite-state controller, whose values are those of a Markov chain with a
// state for every vector and y (policy iteration over controllers, Hansen 1998, "Solving POMDPs by Searching
// in Policy Space"). Backups at single points come to these values after some 1/(1−γ) rounds.
//
// The values are lowered until none is above its backup, as Set.Policy needs. Nothing is done where the
// chain would have more than most entries, where its values take too long, where the controller may go on without an end and there is a Goal, or where ctx ends. It
// returns the size of the chain, which is above most where that was too large.
func (t *VectorSet) Close(ctx context.Context, points iter.Seq[*BeliefPoint], gap float64, workers, most int) (size int) {
	for n := range points {
		t.Raise(n)
		n.origin.best = n.Vec
	}
	most = min(most, closeSize)
	c := controller{VectorSet: t, number: make(map[*Vector]int32)}
	for n := range points {
		c.add(n.Vec)
	}
	discount := t.LowerDiscount
	if t.Goal != nil && t.Goal.earns { // with less, values are lower
		discount = min(discount, 1-closeShare*gap/t.spread())
	}
	if !c.lay(ctx, discount, most) {
		return most + 1
	}
	if c.chain.States() >= mdp.Large {
		c.chain.Workers = workers
	}
	v, ok := c.values(ctx, gap/100)
	if !ok {
		return len(c.chain.Col)
	}
	for i, u := range c.made {
		u.value = v[i*t.NY : (i+1)*t.NY : (i+1)*t.NY]
	}
	for n := range points {
		i, ok := c.number[newest(n.Vec)]
		if ok && n.Raises(n.Dot(c.made[i].value)) {
			t.put(n, c.made[i])
		}
	}
	return len(c.chain.Col)
}

// put lists u, a vector of a controller, unless it is there already, and takes it for the best one at n.
func (t *VectorSet) put(n *BeliefPoint, u *Vector) {
	if u.id == 0 {
		g := &t.gamma[n.X]
		g.last++
		u.id = g.last
		g.list = append(g.list, u)
	}
	n.Lower, n.Vec = n.Dot(u.value), u
	n.origin.best = u
}

// newest returns the vector that is now the best where v was made.
func newest(v *Vector) *Vector {
	if v = v.top(); v.origin != nil {
		v = v.origin.best.top()
	}
	return v
}

// controller is a finite-state controller of vectors, each of which was made at a point.
type controller struct {
	*VectorSet
	number map[*Vector]int32
	from   []*Vector // by number
	made   []*Vector // anew
	next   [][]int32 // by number: those of made[·].next, −1 for one that stays as it is
	chain  *mdp.MDP  // of one action: state number·|Y| + y
	leaves []bool    // by state of the chain: an end, or a vector that stays as it is, may follow
	never  []bool    // by state of the chain: what may follow is worth never
}

// add numbers the newest of a vector; it is −1 of one to begin with, which stays as it is.
func (c *controller) add(v *Vector) int32 {
	if v = newest(v); v.origin == nil {
		return -1
	}
	n, ok := c.number[v]
	if !ok {
		n = int32(len(c.from))
		c.number[v] = n
		c.from = append(c.from, v)
		c.made = append(c.made, &Vector{x: v.x, action: v.action, origin: v.origin})
		c.next = append(c.next, nil)
	}
	return n
}

// lay lays the chain, and reports whether it is one of reasonable size, and ctx has not ended before.
func (c *controller) lay(ctx context.Context, discount float64, most int) bool {
	for i := 0; i < len(c.from); i++ { // which grows
		for _, w := range c.from[i].next {
			n := c.add(w)
			c.next[i] = append(c.next[i], n)
			if n < 0 {
				c.made[i].next = append(c.made[i].next, newest(w))
			} else {
				c.made[i].next = append(c.made[i].next, c.made[n])
			}
		}
	}
	if len(c.from) == 0 || len(c.from)*c.NY > most {
		return false
	}
	c.chain = &mdp.MDP{Actions: 1, Discount: discount, Row: []int{0}}
	after := make([]int, c.NO)
	for i := range c.from {
		for y := range c.NY {
			c.row(i, y, after)
		}
		if len(c.chain.Col) > most || ctx.Err() != nil {
			return false
		}
	}
	return true
}

// row adds to the chain what follows vector i at y. after is working memory by observation.
func (c *controller) row(i, y int, after []int) {
	v, p := c.made[i], c.chain
	s, a := int(v.x)*c.NY+y, int(v.action)
	pay, leaves, dead := c.pay[a][s], c.Goal != nil && c.Goal.ends[s], false
	col, prob := c.Move[a].At(s)
	if leaves {
		col = nil
	}
	first, k := 0, 0
	for _, to := range c.move[a*c.NX+int(v.x)].to {
		see := &c.sense[a*c.NX+int(to)]
		for j, o := range see.obs {
			after[o] = first + j
		}
		first += len(see.obs)
		for ; k < len(col) && int(col[k])/c.NY == int(to); k++ {
			yNext := int(col[k]) % c.NY
			obs, po := c.Sense[a].At(int(col[k]))
			for j, o := range obs {
				n, weight := c.next[i][after[o]], p.Discount*prob[k]*po[j]
				if n < 0 {
					value := v.next[after[o]].value[yNext]
					if leaves = true; isNever(value) {
						dead = true
						continue
					}
					pay += weight * value
					continue
				}
				p.Col, p.Weight = append(p.Col, n*int32(c.NY)+int32(yNext)), append(p.Weight, weight)
			}
		}
	}
	p.Reward, p.Row = append(p.Reward, pay), append(p.Row, len(p.Col))
	c.leaves, c.never = append(c.leaves, leaves), append(c.never, dead)
}

// values returns the values of the chain, lowered such that none is above its backup.
func (c *controller) values(ctx context.Context, tol float64) ([]float64, bool) {
	if slices.Contains(c.never, true) {
		c.chain.Predecessors().MarkAll(c.never)
		c.chain = c.chain.Without(c.never)
	}
	var chain mdp.MarkovChain
	chain.Fix(c.chain, func(s int) int { return s })
	if ctx.Err() != nil {
		return nil, false
	}
	chain.Within(max(closeLeast, closeWork/(len(c.chain.Col)+1)))
	v := make([]float64, len(c.leaves))
	for i, u := range c.from {
		copy(v[i*c.NY:], u.value)
	}
	for s, dead := range c.never {
		if dead {
			v[s] = 0
			c.leaves[s] = true
		}
	}
	if c.chain.Discount < 1 {
		low, _, err := chain.Solve(ctx, v, tol)
		for s := range v {
			if v[s] += low; c.Goal != nil { // where nothing costs anything
				v[s] = max(v[s], 0)
			}
		}
		return v, err == nil
	}
	c.chain.Predecessors().MarkAll(c.leaves)
	for _, ok := range c.leaves {
		if !ok {
			return nil, false
		}
	}
	w, e, ok := chain.Totals(ctx, v, tol)
	if ok {
		for s := range v {
			if v[s] -= e * w[s]; c.never[s] {
				v[s] = never
			}
		}
	}
	return v, ok
}
