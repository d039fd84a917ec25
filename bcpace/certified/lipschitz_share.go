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
	if j, _ := q.e.shortfallOf[a].search(minusLower, q.point, 0, math.Inf(-1)); j >= 0 {
		return q.e.samplesOf[a][j]
	}
	return -1
}

// lowerFrom returns the sample that gives the lower bound, or −1.
func (q *continuousQuery) lowerFrom(least float64) int32 {
	from := int32(-1)
	for a, u := range q.first {
		if j, d := q.e.shortfallOf[a].search(upperBound, q.point, u-least, math.Inf(-1)); j >= 0 {
			least, from = u-d, q.e.samplesOf[a][j]
		}
	}
	return from
}
