package sarsop

import (
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/pomdp"
)

// GoalKind is what a model without a discount and a horizon pays.
type GoalKind int

// Kinds of rewards: costs of steps; something for some ends, and nothing else, so that the value is a
// probability; both, so that there are rewards of either sign; costs of some steps, so that there may be states in which one waits for
// nothing; and rewards of either sign for what can be repeated, which costs something in the long run.
const (
	Costs GoalKind = iota
	Reach
	Both
	Waits
	Cycles
	WaitsBoth // Waits, with something for some ends
	GoalKinds // how many there are
)

// Goal draws a POMDP without a discount and a horizon, whose episodes end: its last state is an end, and so may be
// the one before. From every other state some action leads to a state with a lower number, or an end. Where only
// ends are paid for, there may be states from which no end is reached, and which are no ends by themselves.
func Goal(rng *rand.Rand, kind GoalKind) *pomdp.Model {
	nx, ny := 1+rng.IntN(2)*rng.IntN(2), 3+rng.IntN(3)
	na, no := 2+rng.IntN(2), 1+rng.IntN(3)
	n := nx * ny
	ends := 1 + rng.IntN(2)
	lost := -1 // with the state before, one of a pair of states that is never left
	if kind == Reach && n-ends > 3 && rng.IntN(3) == 0 {
		lost = n - ends - 1
	}
	m := pomdptest.New(nx, ny, na, no, 1, goalStart(rng, n, n-ends))
	few, sharp := rng.IntN(2) == 0, rng.IntN(3)
	lift := make([]float64, n) // of Cycles
	for s := range n - ends {
		lift[s] = 4 * rng.Float64()
	}
	for a := range na {
		var moves, senses [][]float64
		rewards, sense := make([]float64, n), rng.IntN(3)
		for s := range n {
			row := certain(n, s)
			switch {
			case s >= n-ends:
			case s == lost || s == lost-1 && lost > 0:
				row = certain(n, lost-rng.IntN(2))
			case few && rng.IntN(2) == 0:
				row = certain(n, rng.IntN(n))
			case rng.IntN(3) > 0:
				row = pomdptest.Row(rng, n, sharp)
			}
			if s < n-ends && a == s%na && s != lost && s != lost-1 {
				to := n - 1
				if s > 0 && rng.IntN(3) > 0 {
					to = rng.IntN(s)
				}
				share := 0.05 + 0.9*rng.Float64()
				for i := range row {
					row[i] *= 1 - share
				}
				row[to] += share
			}
			moves = append(moves, row)
			rewards[s] = goalReward(rng, kind, row, s, ends, few)
			if kind == Cycles && s < n-ends {
				rewards[s] += lift[s]
				for to, p := range row {
					rewards[s] -= p * lift[to]
				}
			}
			switch sense {
			case 0:
				senses = append(senses, slices.Repeat([]float64{1 / float64(no)}, no))
			case 1:
				senses = append(senses, certain(no, s%no))
			default:
				senses = append(senses, pomdptest.Row(rng, no, rng.IntN(3)))
			}
		}
		pomdptest.Append(m, moves, senses, rewards)
	}
	return m
}

// goalStart draws a distribution over the first of n states.
func goalStart(rng *rand.Rand, n, first int) []float64 {
	return append(pomdptest.Row(rng, first, rng.IntN(3)), make([]float64, n-first)...)
}

func certain(n, i int) []float64 {
	r := make([]float64, n)
	r[i] = 1
	return r
}

// goalReward draws what is paid in state s, of a model whose last states are ends, for a row of what follows.
func goalReward(rng *rand.Rand, kind GoalKind, row []float64, s, ends int, few bool) float64 {
	n := len(row)
	if s >= n-ends {
		return 0
	}
	cost := -0.1 - 3*rng.Float64()
	if few {
		cost = -float64(1 + rng.IntN(2))
	}
	switch kind {
	case Costs, Cycles:
		return cost
	case Waits, WaitsBoth:
		if row[s] == 1 || rng.IntN(3) == 0 {
			cost = 0
		}
		if kind == Waits {
			return cost
		}
	case Reach:
		return row[n-1]
	}
	return cost + row[n-1]*float64(rng.IntN(30))
}

// waits reports whether an agent can wait for nothing in a state that is no end.
func waits(m *pomdp.Model) bool {
	ends := m.Ends()
	for s, end := range ends {
		for a, move := range m.Move {
			if col, _ := move.At(s); !end && len(col) == 1 && int(col[0]) == s && m.Reward[a][s] == 0 {
				return true
			}
		}
	}
	return false
}

// GoalOutlook brackets what p earns in m, which has neither a discount nor a horizon, from the start, or the
// optimal value where p is nil, by the beliefs that can follow the start, at most so many of them. Beyond those it is
// that of a policy that draws each action with the same probability, at least, and of an agent that sees the state, at
// most. Where there are no beliefs beyond, closed is true, and both ends are the value but for rounding.
func GoalOutlook(m *pomdp.Model, p pomdp.Policy, most int) (low, high float64, closed bool) {
	g, roots := beliefsOf(m, p, most, 1e-13)
	closed = true
	for _, at := range g.places {
		for _, list := range at.follow {
			for _, k := range list {
				closed = closed && k.to >= 0
			}
		}
	}
	drawn, seen := totals(m, true), totals(m, false)
	low = g.total(roots, drawn)
	pays := slices.ContainsFunc(m.Reward, func(list []float64) bool { return slices.Max(list) > 0 })
	costs := slices.ContainsFunc(m.Reward, func(list []float64) bool { return slices.Min(list) < 0 })
	if pays && costs && waits(m) { // what waits shows from neither side
		closed = false
	}
	if !closed || p == nil || !pays {
		high = g.total(roots, seen)
	}
	switch {
	case closed && pays: // what can go on for nothing is worth nothing, which only shows from below
		high = low
	case closed: // and from above where nothing is paid
		low = high
	}
	return low, high, closed
}

// total returns the value of the roots after so many sweeps of value iteration that it changes no more, from
// the values v of states on.
func (g *beliefGraph) total(roots []outcome, v []float64) float64 {
	hidden := g.m.NumHidden()
	at := func(x int, b []float64) (sum float64) {
		for y, q := range b {
			sum += q * v[x*hidden+y]
		}
		return sum
	}
	u := make([]float64, len(g.places))
	for i, place := range g.places {
		u[i] = at(place.x, place.b)
	}
	// Values of what follows are those of the places listed, and beyond them, which sweeps do not change, of those after.
	numbered := func(list []outcome) []outcome {
		list = slices.Clone(list)
		for i, k := range list {
			if k.to < 0 {
				list[i].to = len(u)
				u = append(u, at(k.x, k.b))
			}
		}
		return list
	}
	roots = numbered(roots)
	follow := make([][][]outcome, len(g.places))
	for i, place := range g.places {
		for _, list := range place.follow {
			follow[i] = append(follow[i], numbered(list))
		}
	}
	of := func(list []outcome) (sum float64) {
		for i := range list {
			sum += list[i].p * u[list[i].to]
		}
		return sum
	}
	for change, sweep := math.Inf(1), 0; change > 1e-13 && sweep < 20_000; sweep++ {
		change = 0
		for i, place := range slices.Backward(g.places) {
			best := math.Inf(-1)
			for k, list := range follow[i] {
				best = max(best, place.rewards[k]+of(list))
			}
			change = max(change, math.Abs(best-u[i]))
			u[i] = best
		}
	}
	return of(roots)
}

// totals returns, by state, the mean total of a policy that draws each action with the same probability, or the
// optimal one of an agent that sees the state, by many sweeps. Where nothing costs anything they go up from 0. Where
// steps cost something they come down from more than there is to earn: what pays is an end.
func totals(m *pomdp.Model, drawn bool) []float64 {
	v, gain := make([]float64, m.NumStates()), 0.0
	costs := false
	ends := m.Ends()
	for _, list := range m.Reward {
		for _, r := range list {
			costs = costs || r < 0
			gain = max(gain, r)
		}
	}
	if costs {
		for s := range v {
			if !ends[s] {
				v[s] = 1000 * gain
			}
		}
	}
	for sweep := 0; sweep < 50_000; sweep++ {
		change := 0.0
		for s := range v {
			best, mean := math.Inf(-1), 0.0
			for a, move := range m.Move {
				q := m.Reward[a][s]
				col, prob := move.At(s)
				for i, to := range col {
					q += prob[i] * v[to]
				}
				best, mean = max(best, q), mean+q/float64(len(m.Move))
			}
			if drawn {
				best = mean
			}
			change = max(change, math.Abs(best-v[s]))
			v[s] = best
		}
		if change < 1e-14 {
			break
		}
	}
	return v
}

// Game draws a POMDP of a kind in which few beliefs can be reached: actions that
// move and show the state, that move unseen, that only listen, and that do nothing.
// Starts are certain, skewed or spread, seen in part or not at all; rewards are small
// integers, so that there are ties, or any number; some states end the episode.
func Game(rng *rand.Rand) *pomdp.Model {
	nx, ny := 1+rng.IntN(2)*rng.IntN(2), 2+rng.IntN(2)
	na, no := 2+rng.IntN(2), 1+rng.IntN(3)
	n := nx * ny
	row := func(n int) []float64 { return pomdptest.Row(rng, n, rng.IntN(3)) }
	m := pomdptest.New(nx, ny, na, no, []float64{.3, .5, .8, .9, .95}[rng.IntN(5)], row(n))
	end := -1
	if rng.IntN(3) == 0 {
		end = rng.IntN(n)
	}
	certain := func(n, i int) []float64 {
		r := make([]float64, n)
		r[i] = 1
		return r
	}
	uniform := slices.Repeat([]float64{1 / float64(no)}, no)
	few, shift := rng.IntN(2) == 0, float64(rng.IntN(3)-1)
	for range na {
		move, sense, rewards := rng.IntN(3), rng.IntN(4), make([]float64, n)
		var moves, senses [][]float64
		right := .6 + .35*rng.Float64()
		for s := range n {
			if s == end {
				moves = append(moves, certain(n, s))
			} else {
				switch move {
				case 0:
					moves = append(moves, certain(n, s))
				case 1:
					moves = append(moves, certain(n, rng.IntN(n)))
				default:
					moves = append(moves, row(n))
				}
				if few {
					rewards[s] = shift + float64(rng.IntN(3)*rng.IntN(2))
				} else {
					rewards[s] = shift + rng.NormFloat64()
				}
			}
			switch sense {
			case 0:
				senses = append(senses, uniform)
			case 1:
				senses = append(senses, certain(no, s%no))
			case 2:
				senses = append(senses, row(no))
			default: // s is observed rightly or as any other
				r := slices.Repeat([]float64{(1 - right) / float64(max(no-1, 1))}, no)
				if r[s%no] = right; no == 1 {
					r[0] = 1
				}
				senses = append(senses, r)
			}
		}
		pomdptest.Append(m, moves, senses, rewards)
	}
	return m
}
