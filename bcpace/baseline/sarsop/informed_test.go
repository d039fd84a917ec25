package sarsop

import (
	"math"
	"slices"

	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/pomdp"
)

// after is the belief over all states that action a and (x, o) leave of belief b, and the
// probability of these.
func after(m *pomdp.Model, b []float64, a, x, o int) (next []float64, p float64) {
	next = make([]float64, len(b))
	for to := range next {
		if to/m.NumHidden() != x {
			continue
		}
		for s, q := range b {
			if q > 0 {
				next[to] += q * pomdptest.At(m.Move[a], s, to)
			}
		}
		next[to] *= pomdptest.At(m.Sense[a], to, o)
		p += next[to]
	}
	for to := range next {
		next[to] /= p
	}
	return next, p
}

// OneStep returns the tighter informed bound of Krale et al. (2025) as it is defined, for beliefs over all
// states and an action, to an error in its values of tol. It takes time that a small model has.
func OneStep(m *pomdp.Model, tol float64) func(b []float64, a int) float64 {
	n, na, no, nx := m.NumStates(), len(m.Actions), len(m.Observations), m.NumVisible()
	seen := nx * no // what may be seen after a step
	// By state, action and what is seen then: the probability of that, the belief, and the value of each next action.
	share, belief, value := make([]float64, n*na*seen), make([][]float64, n*na*seen), make([][]float64, n*na*seen)
	most := math.Inf(-1)
	for _, list := range m.Reward {
		most = max(most, slices.Max(list))
	}
	known := make([]float64, n)
	for s := range n {
		clear(known)
		known[s] = 1
		for a := range na {
			for x := range nx {
				for o := range no {
					if b, p := after(m, known, a, x, o); p > 0 {
						k := (s*na+a)*seen + x*no + o
						belief[k], share[k], value[k] = b, p, slices.Repeat([]float64{most / (1 - m.Discount)}, na)
					}
				}
			}
		}
	}
	at := func(b []float64, a int) float64 {
		total := 0.0
		for s, q := range b {
			total += q * m.Reward[a][s]
		}
		sums := make([]float64, na)
		for o := range seen {
			clear(sums)
			for s, q := range b {
				if q <= 0 {
					continue
				}
				k := (s*na+a)*seen + o
				for next, v := range value[k] {
					sums[next] += q * share[k] * v
				}
			}
			total += m.Discount * slices.Max(sums)
		}
		return total
	}
	for change := math.Inf(1); change > tol*(1-m.Discount); {
		change = 0
		for k, v := range value {
			for a := range v {
				x := at(belief[k], a)
				change = max(change, math.Abs(x-v[a]))
				v[a] = x
			}
		}
	}
	return at
}

// Informed returns the fast informed bound (Hauskrecht 2000), at s·actions + a, within tol
// above its fixed point. It is value iteration by the definition,
//
//	Q(s,a) = R(s,a) + γ Σ_{x',o} max_a' Σ_y' P(x',y'|s,a) P(o|x',y',a) Q((x',y'),a')
//
// over all states and observations, for small models with γ < 1.
func Informed(m *pomdp.Model, tol float64) []float64 {
	states, hidden, actions := m.NumStates(), m.NumHidden(), len(m.Actions)
	most := math.Inf(-1)
	for _, list := range m.Reward {
		most = max(most, slices.Max(list))
	}
	q := slices.Repeat([]float64{most / (1 - m.Discount)}, states*actions)
	for change := math.Inf(1); change*m.Discount > tol*(1-m.Discount); {
		next := make([]float64, len(q))
		change = 0
		for s := range states {
			for a := range actions {
				sum := 0.0
				for x := range m.NumVisible() {
					for o := range m.Observations {
						sum += mostInformed(m, q, s, a, x*hidden, o)
					}
				}
				next[s*actions+a] = m.Reward[a][s] + m.Discount*sum
				change = max(change, math.Abs(next[s*actions+a]-q[s*actions+a]))
			}
		}
		q = next
	}
	return q
}

// mostInformed returns max_a' Σ_y' P(x',y'|s,a) P(o|x',y',a) q((x',y'),a'), where first is
// the state (x', 0).
func mostInformed(m *pomdp.Model, q []float64, s, a, first, o int) float64 {
	best := math.Inf(-1)
	for next := range m.Actions {
		sum := 0.0
		for to := first; to < first+m.NumHidden(); to++ {
			sum += pomdptest.At(m.Move[a], s, to) * pomdptest.At(m.Sense[a], to, o) * q[to*len(m.Actions)+next]
		}
		best = max(best, sum)
	}
	return best
}
