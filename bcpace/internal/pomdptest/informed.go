package pomdptest

import (
	"math"
	"slices"

	"bayescpace/bcpace/pomdp"
)

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
			sum += At(m.Move[a], s, to) * At(m.Sense[a], to, o) * q[to*len(m.Actions)+next]
		}
		best = max(best, sum)
	}
	return best
}

// At returns the value of m at row i and column j.
func At(m *pomdp.Matrix, i, j int) float64 {
	col, value := m.At(i)
	if k := slices.Index(col, int32(j)); k >= 0 {
		return value[k]
	}
	return 0
}
