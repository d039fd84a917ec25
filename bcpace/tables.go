package bcpace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
)

// Tables are a finite model written out: a transition and a reward table for
// each latent. FromTables makes a Model of them.
//
// A state is its number on one axis, "state", and the metric takes the
// difference of the numbers for the distance; where the order means nothing, a
// large Options.Alpha keeps all states apart. The latent is static.
type Tables struct {
	// Name is the model's name. If it is "", "tables" is used.
	Name string
	// States, Actions and Latents are the names. Nil ones are called by their
	// numbers, as many as P has.
	States, Actions, Latents []string
	// Discount is γ in (0, 1), or 1 where Horizon is set.
	Discount float64
	// Horizon is the number of steps after which every episode is cut, or 0.
	Horizon int
	// Prior is P0(φ). If it is nil, it is uniform.
	Prior []float64
	// Start is the distribution of the start state. If it is nil, episodes
	// start in the first state.
	Start []float64
	// P[latent][action][state][next] is P(s'|s,φ,a). From a state that ends the
	// episode nothing follows, and its rows may be nil.
	P [][][][]float64
	// R[latent][action][state] is the reward, if it does not depend on the next
	// state; otherwise RNext[latent][action][state][next] is. One of them must
	// be nil; rows of states that end the episode are not read.
	R     [][][]float64
	RNext [][][][]float64
	// Ends says which states end the episode on arrival. If it is nil, none do.
	Ends []bool
}

// FromTables makes a Finite model of t, which it copies.
//
// The error is an *InputError for names, lengths, prior or discount that cannot
// be used, or a *ConformanceError that names the state, action and latent of a
// row with a negative probability, a sum other than 1 or a reward that is no
// number.
func FromTables(t Tables) (Finite, error) {
	if t.Name == "" {
		t.Name = "tables"
	}
	m := &tableModel{}
	if err := m.shape(t); err != nil {
		return nil, err
	}
	if err := m.check(t); err != nil {
		return nil, err
	}
	m.fill(t)
	if err := Validate(m); err != nil {
		return nil, err
	}
	return m, nil
}

// tableModel is a model in flat tables. A row is a (latent, action, state), in
// this order, a pair an (action, state).
type tableModel struct {
	spec                     Spec
	states, actions, latents int
	prior                    Belief
	start                    []float64
	ends                     []bool

	prob   []float64 // row × next
	reward []float64 // row × next

	// Row i can lead to next[from[i]:from[i+1]], and cum is the cumulative
	// probability, whose last entry in a row is 1.
	from []int
	next []int
	cum  []float64

	// Pair i can lead to union[unionFrom[i]:unionFrom[i+1]] under some latent.
	unionFrom []int
	union     []int

	startStates []int
	startCum    []float64
}

// shape checks the lengths of t and takes its names.
func (m *tableModel) shape(t Tables) error {
	bad := func(what, got, want string) error {
		return &InputError{Where: "tables " + quote(t.Name), What: what, Got: got, Want: want}
	}
	if len(t.P) == 0 || len(t.P[0]) == 0 || len(t.P[0][0]) == 0 {
		return bad("P", "empty", "a table P[latent][action][state][next]")
	}
	if t.R != nil && t.RNext != nil {
		return bad("RNext", "given as well as R", "one of the two")
	}
	if t.R == nil && t.RNext == nil {
		return bad("R", "missing", "a table R[latent][action][state], or RNext with a next state")
	}
	named := func(what string, names []string, n int) ([]string, error) {
		if names == nil {
			names = make([]string, n)
			for i := range names {
				names[i] = strconv.Itoa(i)
			}
		}
		if len(names) != n {
			return nil, bad("P", fmt.Sprintf("a table of %d %s", n, what), fmt.Sprintf("one of %d, as there are names", len(names)))
		}
		if name, twice := repeated(names); twice {
			return nil, bad(what, quote(name)+" twice", "a name of its own for each")
		}
		return append([]string(nil), names...), nil
	}
	latents, err := named("latents", t.Latents, len(t.P))
	if err != nil {
		return err
	}
	actions, err := named("actions", t.Actions, len(t.P[0]))
	if err != nil {
		return err
	}
	states, err := named("states", t.States, len(t.P[0][0]))
	if err != nil {
		return err
	}
	m.latents, m.actions, m.states = len(latents), len(actions), len(states)
	m.spec = Spec{
		Name: t.Name, Actions: Actions(actions...), Latents: latents, Discount: t.Discount, Horizon: t.Horizon,
		Axes: []Axis{{Name: "state", Min: 0, Max: float64(m.states - 1), Labels: states, Discrete: true}},
	}

	long := func(what string, got, want int, of string) error {
		if got == want {
			return nil
		}
		return bad(what, fmt.Sprintf("%d long", got), fmt.Sprintf("%d, one for each %s", want, of))
	}
	if t.Ends != nil {
		if err := long("Ends", len(t.Ends), m.states, "state"); err != nil {
			return err
		}
	}
	if t.Prior != nil {
		if err := long("Prior", len(t.Prior), m.latents, "latent"); err != nil {
			return err
		}
		if err := Belief(t.Prior).Validate(); err != nil {
			return bad("Prior", fmt.Sprint(t.Prior), "probabilities that sum to 1")
		}
	}
	if t.Start != nil {
		if err := long("Start", len(t.Start), m.states, "state"); err != nil {
			return err
		}
		if err := Belief(t.Start).Validate(); err != nil {
			return bad("Start", fmt.Sprint(t.Start), "probabilities that sum to 1")
		}
	}
	for i, name := range states {
		if t.Ends != nil && t.Ends[i] && (t.Start == nil && i == 0 || t.Start != nil && t.Start[i] > 0) {
			return bad("Start", "in state "+quote(name)+", which ends the episode", "states that do not")
		}
	}
	if t.R != nil {
		if err := long("R", len(t.R), m.latents, "latent"); err != nil {
			return err
		}
	} else if err := long("RNext", len(t.RNext), m.latents, "latent"); err != nil {
		return err
	}
	for l, latent := range latents {
		if err := long("P of latent "+quote(latent), len(t.P[l]), m.actions, "action"); err != nil {
			return err
		}
		var rows int
		if t.R != nil {
			rows = len(t.R[l])
		} else {
			rows = len(t.RNext[l])
		}
		if err := long("the reward table of latent "+quote(latent), rows, m.actions, "action"); err != nil {
			return err
		}
		for a, action := range actions {
			where := fmt.Sprintf(" of latent %s, action %s", quote(latent), quote(action))
			if err := long("P"+where, len(t.P[l][a]), m.states, "state"); err != nil {
				return err
			}
			if t.R != nil {
				rows = len(t.R[l][a])
			} else {
				rows = len(t.RNext[l][a])
			}
			if err := long("the reward table"+where, rows, m.states, "state"); err != nil {
				return err
			}
		}
	}
	return nil
}

// check checks the numbers of t.
func (m *tableModel) check(t Tables) error {
	for l := range m.latents {
		for a := range m.actions {
			for s := range m.states {
				if t.Ends != nil && t.Ends[s] && t.P[l][a][s] == nil {
					continue
				}
				fault := func(format string, args ...any) error {
					return &ConformanceError{Model: t.Name, State: []float64{float64(s)}, Action: m.spec.Actions[a].Name, Latent: m.spec.Latents[l],
						What: "in state " + quote(m.spec.Axes[0].Labels[s]) + ", " + fmt.Sprintf(format, args...)}
				}
				row := t.P[l][a][s]
				if len(row) != m.states {
					return fault("the row of P is %d long, want %d, one for each next state", len(row), m.states)
				}
				sum := 0.0
				for next, p := range row {
					if !(p >= 0) || math.IsInf(p, 1) {
						return fault("the probability of %s is %v, want a number in [0, 1]", quote(m.spec.Axes[0].Labels[next]), p)
					}
					sum += p
				}
				if !(math.Abs(sum-1) <= simplexTolerance) {
					return fault("the row of P sums to %v, want 1", sum)
				}
				if t.Ends != nil && t.Ends[s] {
					continue
				}
				if t.R != nil {
					if r := t.R[l][a][s]; !finite(r) {
						return fault("the reward is %v, want a finite number", r)
					}
					continue
				}
				if len(t.RNext[l][a][s]) != m.states {
					return fault("the row of RNext is %d long, want %d, one for each next state", len(t.RNext[l][a][s]), m.states)
				}
				for next, r := range t.RNext[l][a][s] {
					if row[next] > 0 && !finite(r) {
						return fault("the reward for reaching %s is %v, want a finite number", quote(m.spec.Axes[0].Labels[next]), r)
					}
				}
			}
		}
	}
	return nil
}

// fill copies the numbers of t, which are sound.
func (m *tableModel) fill(t Tables) {
	m.prior = Uniform(m.latents)
	if t.Prior != nil {
		copy(m.prior, t.Prior)
	}
	m.start = make([]float64, m.states)
	m.start[0] = 1
	if t.Start != nil {
		copy(m.start, t.Start)
	}
	m.ends = make([]bool, m.states)
	copy(m.ends, t.Ends)
	m.startStates, m.startCum = cumulative(nil, nil, m.start)

	n := m.latents * m.actions * m.states
	m.prob = make([]float64, n*m.states)
	m.reward = make([]float64, n*m.states)
	m.from = append(make([]int, 0, n+1), 0)
	m.spec.RewardMin, m.spec.RewardMax = math.Inf(1), math.Inf(-1)
	for l := range m.latents {
		for a := range m.actions {
			for s := range m.states {
				row := m.row(l, a, s)
				prob, reward := m.prob[row*m.states:][:m.states], m.reward[row*m.states:][:m.states]
				if t.P[l][a][s] == nil {
					prob[s] = 1 // nothing follows: stay, at no reward
				} else {
					copy(prob, t.P[l][a][s])
				}
				for next, p := range prob {
					if p == 0 {
						continue
					}
					r := 0.0
					switch {
					case m.ends[s]:
					case t.R != nil:
						r = t.R[l][a][s]
					default:
						r = t.RNext[l][a][s][next]
					}
					reward[next] = r
					m.spec.RewardMin, m.spec.RewardMax = min(m.spec.RewardMin, r), max(m.spec.RewardMax, r)
				}
				m.next, m.cum = cumulative(m.next, m.cum, prob)
				m.from = append(m.from, len(m.next))
			}
		}
	}
	m.unionFrom = append(make([]int, 0, m.actions*m.states+1), 0)
	for a := range m.actions {
		for s := range m.states {
			for next := range m.states {
				for l := range m.latents {
					if m.prob[m.row(l, a, s)*m.states+next] > 0 {
						m.union = append(m.union, next)
						break
					}
				}
			}
			m.unionFrom = append(m.unionFrom, len(m.union))
		}
	}
}

// cumulative appends the states of positive probability and the cumulative
// probabilities, the last of them 1.
func cumulative(states []int, cum, prob []float64) ([]int, []float64) {
	sum := 0.0
	for s, p := range prob {
		if p > 0 {
			sum += p
			states = append(states, s)
			cum = append(cum, sum)
		}
	}
	cum[len(cum)-1] = 1
	return states, cum
}

// drawFrom returns one of states by its cumulative probabilities.
func drawFrom(states []int, cum []float64, rng *rand.Rand) int {
	u := rng.Float64()
	lo, hi := 0, len(cum)-1
	for lo < hi {
		if mid := (lo + hi) / 2; u < cum[mid] {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return states[lo]
}

func (m *tableModel) row(latent, action, state int) int {
	return (latent*m.actions+action)*m.states + state
}

// Spec implements Model.
func (m *tableModel) Spec() Spec { return m.spec }

// Prior implements Model.
func (m *tableModel) Prior(b Belief) { copy(b, m.prior) }

// Start implements Model.
func (m *tableModel) Start(s []float64, _ int, rng *rand.Rand) {
	s[0] = float64(drawFrom(m.startStates, m.startCum, rng))
}

// Step implements Model.
func (m *tableModel) Step(next, s []float64, latent, action int, rng *rand.Rand) Outcome {
	row := m.row(latent, action, int(s[0]))
	to := drawFrom(m.next[m.from[row]:m.from[row+1]], m.cum[m.from[row]:m.from[row+1]], rng)
	next[0] = float64(to)
	return Outcome{Reward: m.reward[row*m.states+to], Done: m.ends[to]}
}

// LogLikelihood implements Model.
func (m *tableModel) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	from, to := m.StateIndex(s), m.StateIndex(next)
	if from < 0 || to < 0 {
		return math.Inf(-1)
	}
	return math.Log(m.prob[m.row(latent, action, from)*m.states+to])
}

// Starts implements Enumerator.
func (m *tableModel) Starts(z *Successors) {
	for _, s := range m.startStates {
		state, prob, _ := z.Add(false)
		state[0] = float64(s)
		for l := range prob {
			prob[l] = m.start[s]
		}
	}
}

// Successors implements Enumerator.
func (m *tableModel) Successors(z *Successors, s []float64, action int) {
	from := int(s[0])
	pair := action*m.states + from
	for _, to := range m.union[m.unionFrom[pair]:m.unionFrom[pair+1]] {
		state, prob, reward := z.Add(m.ends[to])
		state[0] = float64(to)
		for l := range prob {
			at := m.row(l, action, from)*m.states + to
			prob[l], reward[l] = m.prob[at], m.reward[at]
		}
	}
}

// NumStates implements Finite.
func (m *tableModel) NumStates() int { return m.states }

// StateAt implements Finite.
func (m *tableModel) StateAt(s []float64, number int) { s[0] = float64(number) }

// StateIndex implements Finite.
func (m *tableModel) StateIndex(s []float64) int {
	if x := s[0]; x >= 0 && x < float64(m.states) && x == math.Trunc(x) {
		return int(x)
	}
	return -1
}
