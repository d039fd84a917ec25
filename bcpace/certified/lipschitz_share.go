package certified

import (
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
)

const (
	// shareWalks is how many walks estimate LipschitzShare, of shareSteps steps at most.
	shareWalks = 64
	shareSteps = 64
	shareSeed  = 0x11b5
)

// LipschitzShare returns which part of the gap U − L at the start, from 0 to 1, goes to
// carrying bounds from samples to other states. It is estimated by walks, always the same
// ones. For either bound, a walk takes the action and the sample that give it, and goes on
// to a successor of that sample. What the bounds differ by is then what L_S costs on all
// steps, discounted, what beliefs cost, and the gap where no sample gives a bound.
func (e *continuousBounds) LipschitzShare() float64 {
	starts, err := bcpace.StartsOf(e.model)
	if err != nil {
		return 0
	}
	q := e.newQuery()
	gap, lost := 0.0, 0.0
	for _, s := range starts {
		u, l, _ := q.bounds(s.State, s.Belief)
		gap += s.Weight * (u - l)
	}
	if !(gap > 0) {
		return 0
	}
	rng := rand.New(rand.NewPCG(shareSeed, 0))
	for range shareWalks {
		x := rng.Float64()
		for i, s := range starts {
			if x -= s.Weight; x < 0 || i == len(starts)-1 {
				lost += (q.lost(s.State, s.Belief, q.upperFrom, rng) + q.lost(s.State, s.Belief, q.lowerFrom, rng)) / shareWalks
				break
			}
		}
	}
	return max(0, min(lost/gap, 1))
}

// lost returns what L_S costs along a walk from (s, b), along which from gives the sample
// that supports a bound at the place that q has prepared, or −1.
func (q *continuousQuery) lost(s []float64, b bcpace.Belief, from func(least float64) int32, rng *rand.Rand) (sum float64) {
	e, weight := q.e, 1.0
	for range shareSteps {
		least, ok := q.prepare(s, b)
		if !ok {
			break
		}
		j := from(least)
		if j < 0 {
			break
		}
		point, _ := e.shortfallOf[e.action[j]].at(e.item[j])
		sum += weight * e.lip * e.shortfallOf[e.action[j]].distance(q.point, point, point)
		weight *= e.spec.Discount
		x, to := rng.Float64(), int32(-1)
		for k, end := e.successors(j); k < end; k++ {
			if x -= e.prob[k]; x < 0 {
				to = k
				break
			}
		}
		if to < 0 {
			break
		}
		s, b, _ = e.nodeData(to)
	}
	return sum
}

// upperFrom returns the sample that gives the upper bound, or −1.
func (q *continuousQuery) upperFrom(float64) int32 {
	_, a := q.e.upperAt(q.point, q.first)
	t := q.e.shortfallOf[a]
	d := t.lower(q.point, math.Inf(1))
	if d <= 0 {
		return -1
	}
	return q.e.sampleOf(a, t.supporter(func(n int32) bool { return t.lowerOfNode(n, q.point) >= d }, func(j int32) bool {
		p, w := t.at(j)
		return t.lowerFromBox(q.point, p, p, w, t.lo[j]) >= d
	}))
}

// lowerFrom returns the sample that gives the lower bound, or −1.
func (q *continuousQuery) lowerFrom(least float64) int32 {
	best, from := least, int32(-1)
	for a, u := range q.first {
		t := q.e.shortfallOf[a]
		d := t.upper(q.point, u-best)
		if d >= u-best {
			continue
		}
		best = u - d
		from = q.e.sampleOf(a, t.supporter(func(n int32) bool { return t.upperOfNode(n, q.point) <= d }, func(j int32) bool {
			p, w := t.at(j)
			return t.upperFromBox(q.point, p, p, w, t.hi[j]) <= d
		}))
	}
	return from
}

// sampleOf returns the sample that item j of an action is, or −1 for −1.
func (e *continuousBounds) sampleOf(action int, j int32) int32 {
	if j < 0 {
		return -1
	}
	return e.samplesOf[action][j]
}

// supporter returns the first item with a property that only items have below nodes that
// may have it, or −1.
func (t *shortfalls) supporter(below func(n int32) bool, has func(j int32) bool) int32 {
	open := []int32{0}
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		switch left := t.nodes[n].left; {
		case !below(n):
		case left >= 0:
			open = append(open, left+1, left)
		default:
			for _, j := range t.nodes[n].items {
				if has(j) {
					return j
				}
			}
		}
	}
	return -1 // not reached: bounds of boxes are no worse in any bit
}
