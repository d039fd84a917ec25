// Package pomdptest has what tests of POMDPs share.
package pomdptest

import "bayescpace/bcpace/pomdp"

// Matrix makes a matrix of rows.
func Matrix(rows ...[]float64) *pomdp.Matrix {
	m := &pomdp.Matrix{Row: []int{0}}
	for _, r := range rows {
		for j, v := range r {
			if v != 0 {
				m.Col, m.Value = append(m.Col, int32(j)), append(m.Value, v)
			}
		}
		m.Row = append(m.Row, len(m.Col))
	}
	return m
}

// Tiger is the Tiger problem as Kaelbling et al. (1998) give it, with γ = 0.95: no
// state is seen, and opening a door is followed by either sound with probability ½.
func Tiger() *pomdp.Model {
	stay, half := Matrix([]float64{1, 0}, []float64{0, 1}), Matrix([]float64{.5, .5}, []float64{.5, .5})
	hear := Matrix([]float64{.85, .15}, []float64{.15, .85})
	return &pomdp.Model{Name: "tiger", Discount: 0.95,
		Hidden:  []pomdp.Variable{{Name: "tiger", Values: []string{"left", "right"}}},
		Actions: []string{"listen", "open-left", "open-right"}, Observations: []string{"hear-left", "hear-right"},
		Start:  []pomdp.Entry{{At: 0, Value: .5}, {At: 1, Value: .5}},
		Move:   []*pomdp.Matrix{stay, half, half},
		Sense:  []*pomdp.Matrix{hear, half, half},
		Reward: [][]float64{{-1, -1}, {-100, 10}, {10, -100}},
	}
}
