package pomdp

import (
	"fmt"
	"iter"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/solverkit"
)

// maxFiniteHorizon bounds the entries of each matrix of a finite-horizon model, to about
// a gigabyte.
const maxFiniteHorizon = 1 << 26

// FiniteHorizon returns m with one more visible variable, the steps left. It counts down
// from steps, or from the horizon of m if that is less. At 0 the episode has ended: a
// state leads to itself and pays nothing. Over a finite horizon, values and policies
// depend on the steps left; in the returned model the agent sees them, so that every
// solver solves the finite-horizon problem, also for γ = 1.
//
// The error is that of Validate, or a *bcpace.InputError for steps < 1 or for more
// states than can be numbered or listed.
func FiniteHorizon(m *Model, steps int) (*Model, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if m.Horizon > 0 {
		steps = min(steps, m.Horizon)
	}
	bad := bcpace.In("FiniteHorizon of " + m.where()).Bad
	if steps < 1 {
		return nil, bad("steps", strconv.Itoa(steps), "at least 1")
	}
	entries := 0
	for a := range m.Actions {
		entries = max(entries, len(m.Move[a].Col), len(m.Sense[a].Col))
	}
	if most := maxFiniteHorizon / max(entries, m.NumStates()); steps >= most {
		return nil, bad("steps", strconv.Itoa(steps), fmt.Sprintf("fewer than %d, as the tables of one step have %d entries and those of all steps may have %d", most, entries, maxFiniteHorizon))
	}
	stepsLeft := Variable{Name: "steps_left", Values: NumberedNames("left", steps+1)}
	for slices.ContainsFunc(slices.Concat(m.Visible, m.Hidden), func(v Variable) bool { return v.Name == stepsLeft.Name }) {
		stepsLeft.Name += "_"
	}
	c := finiteHorizon{steps: steps, hidden: m.NumHidden(), states: m.NumStates()}
	p := &Model{Name: m.Name, Discount: m.Discount, Horizon: steps, Visible: append(append([]Variable(nil), m.Visible...), stepsLeft), Hidden: m.Hidden,
		Actions: m.Actions, Observations: m.Observations}
	for _, e := range m.Start {
		p.Start = append(p.Start, Entry{At: c.state(int(e.At), steps), Value: e.Value})
	}
	moves, senses := make(map[*Matrix]*Matrix), make(map[*Matrix]*Matrix)
	for a := range m.Actions {
		if moves[m.Move[a]] == nil {
			moves[m.Move[a]] = c.table(m.Move[a], true, func(s, left int) int32 { return c.state(s, left-1) })
		}
		if senses[m.Sense[a]] == nil {
			senses[m.Sense[a]] = c.table(m.Sense[a], false, func(o, _ int) int32 { return int32(o) })
		}
		p.Move, p.Sense = append(p.Move, moves[m.Move[a]]), append(p.Sense, senses[m.Sense[a]])
		reward := make([]float64, 0, p.NumStates())
		c.each(func(s, left int) {
			if left == 0 {
				reward = append(reward, 0)
			} else {
				reward = append(reward, m.Reward[a][s])
			}
		})
		p.Reward = append(p.Reward, reward)
	}
	return p, nil
}

// finiteHorizon numbers the states of a model with the steps left.
type finiteHorizon struct{ steps, hidden, states int }

// state returns the number of state s with some steps left.
func (c finiteHorizon) state(s, left int) int32 {
	return int32((s/c.hidden*(c.steps+1)+left)*c.hidden + s%c.hidden)
}

// each calls f with every state and every number of steps left, in the order of
// their numbers.
func (c finiteHorizon) each(f func(s, left int)) {
	for x := 0; x < c.states; x += c.hidden {
		for left := range c.steps + 1 {
			for y := range c.hidden {
				f(x+y, left)
			}
		}
	}
}

// table returns the rows of m for every number of steps left, with their columns renumbered: at gives the column of an
// entry. Where moves is set, a state with no step left leads to itself.
func (c finiteHorizon) table(m *Matrix, moves bool, at func(col, left int) int32) *Matrix {
	n := &Matrix{Row: []int{0}}
	c.each(func(s, left int) {
		if moves && left == 0 {
			n.add(Entry{At: c.state(s, 0), Value: 1})
			return
		}
		col, value := m.At(s)
		for i, to := range col {
			n.Col, n.Value = append(n.Col, at(int(to), left)), append(n.Value, value[i])
		}
		n.Row = append(n.Row, len(n.Col))
	})
	return n
}

// CheckStationary returns a *bcpace.UnsupportedError that names the algorithm in two
// cases: the values of m depend on a number of steps left that its states do not have,
// as m has a horizon and an episode can last longer from some state; or m IsGoal,
// and the algorithm is for a discount.
func (m *Model) CheckStationary(algorithm string) error {
	switch {
	case m.Horizon > 0 && !m.keepsHorizon():
		return &bcpace.UnsupportedError{Model: m.Name, Algorithm: algorithm,
			Need: fmt.Sprintf("the steps left in the states, as values in a model with a horizon depend on them: use pomdp.FiniteHorizon(model, %d)", m.Horizon)}
	}
	return solverkit.NeedDiscount(bcpace.Spec{Name: m.Name, Goal: m.IsGoal()}, algorithm)
}

// IsGoal reports whether m has neither a discount nor a horizon, so that its values are totals of rewards
// up to the end of an episode; see bcpace.Spec.
func (m *Model) IsGoal() bool { return m.Discount == 1 && m.Horizon == 0 }

// Rate returns a lower bound of 1/Σγ^t over the steps of an episode: 1−γ, or 1/Horizon
// for γ = 1, or 0 where m IsGoal. An error of e at every step adds up to at most e/Rate. A proof about a
// γ-contraction that uses 1−γ holds with Rate instead for a model that passes
// CheckStationary.
func (m *Model) Rate() float64 {
	return bcpace.Spec{Discount: m.Discount, Horizon: m.Horizon, Goal: m.IsGoal()}.Rate()
}

// keepsHorizon says that from every state the episode ends by itself within the
// horizon.
func (m *Model) keepsHorizon() bool {
	ends := m.Ends()
	return dp.EndsWithin(len(ends), m.Horizon, func(s int32) iter.Seq[int32] {
		return func(yield func(int32) bool) {
			for _, move := range m.Move {
				col, _ := move.At(int(s))
				for _, to := range col {
					if !ends[to] && !yield(to) {
						return
					}
				}
			}
		}
	})
}
