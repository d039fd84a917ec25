package pomdpfile

import (
	"math"

	"bayescpace/bcpace/pomdp"
)

// expectedReward computes R(s, a), the mean of rewards over the successors and the
// observations that follow a state and an action.
type expectedReward struct {
	descent
	f         *factored
	numStates int

	reward []float64
	move   *pomdp.Matrix
	sense  *pomdp.Matrix
	means  []means // by reward function
	mixed  bool    // whether rewards of different sizes may follow one state and action
}

// means caches, by successor, the mean over the observations of a reward function. It is
// valid for one subtree ref of the function, to which the action and the state before the
// step have led.
type means struct {
	ref   int32
	round int32
	known []int32 // by s': the round in which its mean was computed
	value []float64
}

// build returns R(s, a) for all s.
func (p *expectedReward) build(roots []int32, move, sense *pomdp.Matrix) []float64 {
	p.reward = make([]float64, 0, p.numStates)
	p.move, p.sense = move, sense
	for i := range p.means {
		p.means[i].round++
	}
	p.each(roots, func(here []int32) {
		sum := 0.0
		for i, g := range p.list {
			sum += p.mean(g, here[i], &p.means[i])
		}
		p.reward = append(p.reward, sum)
	})
	return p.reward
}

// mean returns the mean of a reward function over s' and o, from the node to which the
// present action and state lead.
func (p *expectedReward) mean(g *function, ref int32, m *means) float64 {
	p.f.budget.work(1)
	level := 0
	for level < len(g.levels) && g.levels[level].kind <= before {
		level++
	}
	if v, ok := g.table.single(ref, level); ok {
		return v
	}
	if m.known == nil {
		p.f.budget.spendAll(p.numStates, 4+8)
		m.known, m.value = make([]int32, p.numStates), make([]float64, p.numStates)
	}
	if m.ref != ref {
		m.ref, m.round = ref, m.round+1
	}
	sum := 0.0
	next, prob := p.move.At(len(p.reward))
	p.f.budget.work(len(next))
	for i, s := range next {
		if m.known[s] != m.round {
			m.known[s], m.value[s] = m.round, p.meanSeen(g, ref, level, int(s))
		}
		sum += prob[i] * m.value[s]
		p.compare(m.value[s], m.value[next[0]])
	}
	return sum
}

// meanSeen returns the mean over the observations in state s, after the step.
func (p *expectedReward) meanSeen(g *function, ref int32, level, s int) float64 {
	for ; level < len(g.levels) && g.levels[level].kind == after; level++ {
		if level == len(g.table.size)-1 {
			return g.table.value(ref, digit(p.row, g.levels[level].at, s))
		}
		ref = g.table.child(ref, digit(p.row, g.levels[level].at, s))
	}
	if v, ok := g.table.single(ref, level); ok {
		return v
	}
	sum, before := 0.0, math.NaN()
	seen, prob := p.sense.At(s)
	p.f.budget.work(len(seen))
	for i, o := range seen {
		at, l := ref, level
		for ; l < len(g.table.size)-1; l++ {
			at = g.table.child(at, digit(p.f.seen, g.levels[l].at, int(o)))
		}
		value := g.table.value(at, digit(p.f.seen, g.levels[l].at, int(o)))
		p.compare(value, before)
		sum, before = sum+prob[i]*value, value
	}
	return sum
}

// compare notes whether two rewards, either of which may follow one state and action, differ by more than the rounding of means.
func (p *expectedReward) compare(a, b float64) {
	const rounding = 1e-12
	p.mixed = p.mixed || math.Abs(a-b) > rounding*max(math.Abs(a), math.Abs(b))
}

// digit returns the value of variable k in joint value i.
func digit(v []pomdp.Variable, k, i int) int32 {
	for j := len(v) - 1; j > k; j-- {
		i /= len(v[j].Values)
	}
	return int32(i % len(v[k].Values))
}
