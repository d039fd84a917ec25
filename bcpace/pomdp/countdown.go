package pomdp

import (
	"fmt"
	"math"
	"strconv"

	"bayescpace/bcpace"
)

// maxCountdown bounds the entries of each matrix of a countdown to a gigabyte or so.
const maxCountdown = 1 << 26

// Countdown returns m with one more visible variable, the steps left, that counts
// down from steps, or from the horizon of m where that is less. At 0 the episode has
// ended: a state leads to itself and pays nothing. Values and policies of m for a
// limited time depend on the time that is left; in the model returned it is seen, so
// that every solver solves the limited problem, also for γ = 1.
//
// The error is that of Validate, or a *bcpace.InputError for steps < 1 or for more
// states than can be numbered or listed.
func Countdown(m *Model, steps int) (*Model, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if m.Horizon > 0 {
		steps = min(steps, m.Horizon)
	}
	bad := func(got, want string) error {
		return &bcpace.InputError{Where: "countdown of " + m.where(), What: "steps", Got: got, Want: want}
	}
	if steps < 1 {
		return nil, bad(strconv.Itoa(steps), "at least 1")
	}
	entries := 0
	for a := range m.Actions {
		entries = max(entries, len(m.Move[a].Col), len(m.Sense[a].Col))
	}
	if most := maxCountdown / max(entries, m.NumStates()); steps >= most {
		return nil, bad(strconv.Itoa(steps), fmt.Sprintf("fewer than %d, as the tables of one step have %d entries and those of all steps may have %d", most, entries, maxCountdown))
	}
	clock := Variable{Name: "steps_left", Values: make([]string, steps+1)}
	for left := range clock.Values {
		clock.Values[left] = "left" + strconv.Itoa(left)
	}
	for named(m.Visible, clock.Name) || named(m.Hidden, clock.Name) {
		clock.Name += "_"
	}
	c := countdown{steps: steps, hidden: m.NumHidden(), states: m.NumStates()}
	p := &Model{Name: m.Name, Discount: m.Discount, Horizon: steps, Visible: append(append([]Variable(nil), m.Visible...), clock), Hidden: m.Hidden,
		Actions: m.Actions, Observations: m.Observations}
	for _, e := range m.Start {
		p.Start = append(p.Start, Entry{At: c.state(int(e.At), steps), Value: e.Value})
	}
	moves, senses := make(map[*Matrix]*Matrix), make(map[*Matrix]*Matrix)
	for a := range m.Actions {
		if moves[m.Move[a]] == nil {
			moves[m.Move[a]] = c.move(m.Move[a])
		}
		if senses[m.Sense[a]] == nil {
			senses[m.Sense[a]] = c.sense(m.Sense[a])
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

func named(list []Variable, name string) bool {
	for _, v := range list {
		if v.Name == name {
			return true
		}
	}
	return false
}

// countdown numbers the states of a model with the steps left.
type countdown struct{ steps, hidden, states int }

// state returns the number of state s with some steps left.
func (c countdown) state(s, left int) int32 {
	return int32((s/c.hidden*(c.steps+1)+left)*c.hidden + s%c.hidden)
}

// each calls f with every state and every number of steps left, in the order of
// their numbers.
func (c countdown) each(f func(s, left int)) {
	for x := 0; x < c.states; x += c.hidden {
		for left := range c.steps + 1 {
			for y := range c.hidden {
				f(x+y, left)
			}
		}
	}
}

// move returns the transitions of m with a step less left.
func (c countdown) move(m *Matrix) *Matrix {
	n := &Matrix{Row: []int{0}}
	c.each(func(s, left int) {
		if left == 0 {
			n.add(Entry{At: c.state(s, 0), Value: 1})
			return
		}
		col, value := m.At(s)
		for i, to := range col {
			n.Col, n.Value = append(n.Col, c.state(int(to), left-1)), append(n.Value, value[i])
		}
		n.Row = append(n.Row, len(n.Col))
	})
	return n
}

// sense returns the observations of m, which do not depend on the steps left.
func (c countdown) sense(m *Matrix) *Matrix {
	n := &Matrix{Row: []int{0}}
	c.each(func(s, _ int) {
		col, value := m.At(s)
		n.Col, n.Value = append(n.Col, col...), append(n.Value, value...)
		n.Row = append(n.Row, len(n.Col))
	})
	return n
}

// CheckStationary returns a *bcpace.UnsupportedError of the algorithm where values
// of m depend on a number of steps left that its states do not tell: it has a
// horizon, and from some state an episode goes on for longer; or where they are
// infinite, for γ = 1 without a horizon.
func (m *Model) CheckStationary(algorithm string) error {
	switch {
	case m.Horizon > 0 && !m.keepsHorizon():
		return &bcpace.UnsupportedError{Model: m.Name, Algorithm: algorithm,
			Need: fmt.Sprintf("states that tell the steps left, as values depend on them in a model with a horizon: take pomdp.Countdown(model, %d)", m.Horizon)}
	case m.Discount == 1 && m.Horizon == 0:
		return &bcpace.UnsupportedError{Model: m.Name, Algorithm: algorithm,
			Need: "a discount below 1, or a horizon: take pomdp.Countdown for a number of steps"}
	}
	return nil
}

// Rate returns a lower bound of the reciprocal of Σ γ^t over the steps of an
// episode, by which an error made at every step adds up: 1−γ, or 1/Horizon for
// γ = 1. What is proved of a γ-contraction with 1−γ holds with it for a model that
// passes CheckStationary.
func (m *Model) Rate() float64 { return bcpace.Spec{Discount: m.Discount, Horizon: m.Horizon}.Rate() }

// keepsHorizon says that from every state the episode ends by itself within the
// horizon.
func (m *Model) keepsHorizon() bool {
	ends := m.Ends()
	steps := make([]int32, len(ends)) // by state: the most steps from it, 0 where not known yet
	var walk func(s int32, left int) int32
	walk = func(s int32, left int) int32 {
		switch {
		case ends[s]:
			return 0
		case left == 0 || int(steps[s]) > left:
			return math.MaxInt32
		case steps[s] > 0:
			return steps[s]
		}
		most := int32(1)
		for a := range m.Actions {
			col, _ := m.Move[a].At(int(s))
			for _, to := range col {
				after := walk(to, left-1)
				if after == math.MaxInt32 {
					return after
				}
				most = max(most, 1+after)
			}
		}
		steps[s] = most
		return most
	}
	for s := range steps {
		if walk(int32(s), m.Horizon) == math.MaxInt32 {
			return false
		}
	}
	return true
}
