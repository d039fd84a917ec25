// Package pomdptest has what tests of POMDPs share.
package pomdptest

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"bayescpace/bcpace/pomdp"
)

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

// At returns the value of m at row i and column j.
func At(m *pomdp.Matrix, i, j int) float64 {
	col, value := m.At(i)
	if k := slices.Index(col, int32(j)); k >= 0 {
		return value[k]
	}
	return 0
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

// Row draws a distribution over n outcomes, each of which is left out with
// probability zeros/3.
func Row(rng *rand.Rand, n, zeros int) []float64 {
	p := make([]float64, n)
	sum := 0.0
	for i := range p {
		if rng.IntN(3) >= zeros {
			p[i] = rng.Float64()
		}
		sum += p[i]
	}
	if sum == 0 {
		p[rng.IntN(n)], sum = 1, 1
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// New returns a POMDP without tables, of so many visible and hidden values, actions
// and observations, that starts by a distribution over its states.
func New(nx, ny, na, no int, discount float64, start []float64) *pomdp.Model {
	names := func(letter string, n int) []string {
		list := make([]string, n)
		for i := range list {
			list[i] = letter + strconv.Itoa(i)
		}
		return list
	}
	m := &pomdp.Model{Name: "random", Discount: discount, Actions: names("a", na), Observations: names("o", no),
		Visible: []pomdp.Variable{{Name: "x", Values: names("x", nx)}}, Hidden: []pomdp.Variable{{Name: "y", Values: names("y", ny)}}}
	for s, p := range start {
		if p > 0 {
			m.Start = append(m.Start, pomdp.Entry{At: int32(s), Value: p})
		}
	}
	return m
}

// Append gives m the tables of one more action, by rows.
func Append(m *pomdp.Model, move, sense [][]float64, reward []float64) {
	m.Move, m.Sense, m.Reward = append(m.Move, Matrix(move...)), append(m.Sense, Matrix(sense...)), append(m.Reward, reward)
}

// Unvisited is a model, as a .pomdp file, whose best plan continues at a belief that a
// search need not visit, as its bounds are near enough there: who knows that the state is
// good always stays.
const Unvisited = `discount: 0.95
values: reward
states: bad good
actions: stay move
observations: ob og
start: 0.86 0.14
T: stay identity
T: move
0.58 0.42
0.54 0.46
O: stay uniform
O: move
1 0
0 1
R: stay : good : * : * 1
`

// Random draws a POMDP with rows of many shapes: certain, sparse and full, the
// hidden part kept or not.
func Random(rng *rand.Rand, nx, ny int, discount float64) *pomdp.Model {
	na, no := 1+rng.IntN(3), 1+rng.IntN(3)
	row := func(n int) []float64 { return Row(rng, n, rng.IntN(3)) }
	m := New(nx, ny, na, no, discount, row(nx*ny))
	for range na {
		kind, blind := rng.IntN(4), rng.IntN(4) == 0
		var move, sense [][]float64
		var reward []float64
		only, to := rng.IntN(no), rng.IntN(nx)
		for s := range nx * ny {
			r := row(nx * ny)
			switch kind {
			case 0: // to one x', with y' = y
				clear(r)
				r[to*ny+s%ny] = 1
			case 1: // any x', with y' = y
				clear(r)
				for x, p := range row(nx) {
					r[x*ny+s%ny] = p
				}
			}
			see := row(no)
			if blind {
				clear(see)
				see[only] = 1
			}
			move, sense, reward = append(move, r), append(sense, see), append(reward, rng.Float64()-.5)
		}
		Append(m, move, sense, reward)
	}
	return m
}
