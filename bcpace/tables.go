package bcpace

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/sparse"
)

// Tables are a finite model written out, with a static latent. A state is its number on one axis,
// "state", and the metric takes the difference of the numbers for the distance; where the order means
// nothing, a large cpace.Solver.Alpha keeps all states apart.
type Tables struct {
	Name                     string    // "" is "tables"
	States, Actions, Latents []string  // nil ones are called by their numbers, as many as P has
	Discount                 float64   // γ in (0, 1), or 1 where Horizon or Goal is set
	Horizon                  int       // steps after which every episode is cut, or 0
	Goal                     bool      // neither a discount nor a horizon, see Spec
	Prior                    []float64 // P0(φ); nil is uniform
	Start                    []float64 // probabilities of the states; nil is the first state
	// P[latent][action][state][next] is P(s'|s,φ,a). From a state that ends the
	// episode nothing follows, and its rows may be nil.
	P [][][][]float64
	// R[latent][action][state] is the reward, if it does not depend on the next
	// state; otherwise RNext[latent][action][state][next] is, and the other is nil. Rows of
	// states that end the episode are not read.
	R     [][][]float64
	RNext [][][][]float64
	Ends  []bool // which states end the episode on arrival; nil is none
}

// FromTables makes a Finite model of t, which it copies. The error is an *InputError, or a
// *ConformanceError that names the state, action and latent of a row with a negative probability, a
// sum other than 1 or a reward that is no number.
func FromTables(t Tables) (Finite, error) {
	t.Name = cmp.Or(t.Name, "tables")
	var r tableReader
	err := r.shape(t)
	if err == nil {
		err = r.check(t)
	}
	if err != nil {
		return nil, err
	}
	m := r.model(t)
	if err := Validate(m); err != nil {
		return nil, err
	}
	return m, nil
}

// tableReader checks Tables and makes a model of them.
type tableReader struct {
	spec                     Spec
	states, actions, latents int
}

// shape checks the lengths of t and takes its names.
func (m *tableReader) shape(t Tables) error {
	in := t.in()
	if err := cmp.Or(
		in.Need(len(t.P) != 0 && len(t.P[0]) != 0 && len(t.P[0][0]) != 0, "P", "empty", "a table P[latent][action][state][next]"),
		in.Need(t.R == nil || t.RNext == nil, "RNext", "given as well as R", "one of the two"),
		in.Need(t.R != nil || t.RNext != nil, "R", "missing", "a table R[latent][action][state], or RNext with a next state")); err != nil {
		return err
	}
	if err := m.takeNames(t); err != nil {
		return err
	}
	err := cmp.Or(t.checkDistribution("Prior", t.Prior, m.latents, "latent"), t.checkDistribution("Start", t.Start, m.states, "state"))
	if t.Ends != nil {
		err = cmp.Or(t.checkLength("Ends", len(t.Ends), m.states, "state"), err)
	}
	if err != nil {
		return err
	}
	for i, name := range m.spec.Axes[0].Labels {
		if t.Ends != nil && t.Ends[i] && (t.Start == nil && i == 0 || t.Start != nil && t.Start[i] > 0) {
			return in.Bad("Start", "in state "+strconv.Quote(name)+", which ends the episode", "states that do not")
		}
	}
	return m.checkRows(t)
}

// takeNames takes the names of t, or numbers in their place, and with them the number of latents,
// actions and states.
func (m *tableReader) takeNames(t Tables) error {
	latents, err := t.names("latents", t.Latents, len(t.P), nil)
	actions, err := t.names("actions", t.Actions, len(t.P[0]), err)
	states, err := t.names("states", t.States, len(t.P[0][0]), err)
	if err != nil {
		return err
	}
	m.latents, m.actions, m.states = len(latents), len(actions), len(states)
	m.spec = Spec{
		Name: t.Name, Actions: Actions(actions...), Latents: latents, Discount: t.Discount, Horizon: t.Horizon, Goal: t.Goal,
		Axes: []Axis{{Name: "state", Min: 0, Max: float64(m.states - 1), Labels: states, Discrete: true}},
	}
	return nil
}

// checkRows checks that each table has a row for each latent, action and state.
func (m *tableReader) checkRows(t Tables) error {
	if t.R != nil {
		return cmp.Or(checkRows(&t, m.spec, "R", t.R, "the reward table"), checkRows(&t, m.spec, "P", t.P, "P"))
	}
	return cmp.Or(checkRows(&t, m.spec, "RNext", t.RNext, "the reward table"), checkRows(&t, m.spec, "P", t.P, "P"))
}

// checkRows checks a table, which parts of it call rows.
func checkRows[T any](t *Tables, spec Spec, name string, table [][][]T, rows string) error {
	if err := t.checkLength(name, len(table), len(spec.Latents), "latent"); err != nil {
		return err
	}
	for l, latent := range spec.Latents {
		if err := t.checkLength(rows+" of latent "+strconv.Quote(latent), len(table[l]), len(spec.Actions), "action"); err != nil {
			return err
		}
		for a, action := range spec.Actions {
			where := fmt.Sprintf("%s of latent %s, action %s", rows, strconv.Quote(latent), strconv.Quote(action.Name))
			if err := t.checkLength(where, len(table[l][a]), len(spec.Axes[0].Labels), "state"); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *Tables) in() In { return In("tables " + strconv.Quote(t.Name)) }

// names returns a copy of n names, which must differ, or the numbers from 0 where names is nil; nothing after an error.
func (t *Tables) names(what string, names []string, n int, err error) ([]string, error) {
	if err != nil {
		return nil, err
	}
	if names == nil {
		names = make([]string, n)
		for i := range names {
			names[i] = strconv.Itoa(i)
		}
	}
	if len(names) != n {
		return nil, t.in().Bad("P", fmt.Sprintf("a table of %d %s", n, what), fmt.Sprintf("one of %d, as there are names", len(names)))
	}
	if name, twice := repeated(names); twice {
		return nil, t.in().Bad(what, strconv.Quote(name)+" twice", "a name of its own for each")
	}
	return append([]string(nil), names...), nil
}

// checkLength checks that a list has one entry for each of want.
func (t *Tables) checkLength(what string, got, want int, of string) error {
	return t.in().Need(got == want, what, fmt.Sprintf("%d long", got), fmt.Sprintf("%d, one for each %s", want, of))
}

// checkDistribution checks that p is nil or a distribution over n.
func (t *Tables) checkDistribution(what string, p []float64, n int, of string) error {
	if p == nil {
		return nil
	}
	err := t.checkLength(what, len(p), n, of)
	if err == nil && Belief(p).Validate() != nil {
		err = t.in().Bad(what, fmt.Sprint(p), "probabilities that sum to 1")
	}
	return err
}

// check checks the numbers of t.
func (m *tableReader) check(t Tables) error {
	for l := range m.latents {
		for a := range m.actions {
			for s := range m.states {
				fault := func(format string, args ...any) error {
					return &ConformanceError{Model: t.Name, State: []float64{float64(s)}, Action: m.spec.Actions[a].Name, Latent: m.spec.Latents[l],
						What: "in state " + strconv.Quote(m.spec.Axes[0].Labels[s]) + ", " + fmt.Sprintf(format, args...)}
				}
				row, ends := t.P[l][a][s], t.Ends != nil && t.Ends[s]
				if ends && row == nil {
					continue
				}
				if len(row) != m.states {
					return fault("the row of P is %d long, want %d, one for each next state", len(row), m.states)
				}
				sum := 0.0
				for next, p := range row {
					if !(p >= 0) || math.IsInf(p, 1) {
						return fault("the probability of %s is %v, want a number in [0, 1]", strconv.Quote(m.spec.Axes[0].Labels[next]), p)
					}
					sum += p
				}
				if !(math.Abs(sum-1) <= simplexTolerance) {
					return fault("the row of P sums to %v, want 1", sum)
				}
				switch {
				case ends:
					continue
				case t.R != nil:
					if r := t.R[l][a][s]; !num.Finite(r) {
						return fault("the reward is %v, want a finite number", r)
					}
					continue
				case len(t.RNext[l][a][s]) != m.states:
					return fault("the row of RNext is %d long, want %d, one for each next state", len(t.RNext[l][a][s]), m.states)
				}
				for next, r := range t.RNext[l][a][s] {
					if row[next] > 0 && !num.Finite(r) {
						return fault("the reward for reaching %s is %v, want a finite number", strconv.Quote(m.spec.Axes[0].Labels[next]), r)
					}
				}
			}
		}
	}
	return nil
}

// model copies the numbers of t, which are sound, into a model.
func (m *tableReader) model(t Tables) *listedModel {
	out := &listedModel{spec: m.spec, prior: Uniform(m.latents), places: sparse.Places{First: []float64{0}, Sizes: []int{m.states}},
		rows: sparse.NewRows(), vectors: sparse.NewVectors(2*m.latents + 1)}
	if t.Prior != nil {
		copy(out.prior, t.Prior)
	}
	for s := range int32(m.states) {
		out.placeOf, out.numberAt = append(out.placeOf, s), append(out.numberAt, s)
		switch {
		case t.Start == nil && s == 0:
			out.starts, out.startProb = append(out.starts, s), append(out.startProb, 1)
		case t.Start != nil && t.Start[s] > 0:
			out.starts, out.startProb = append(out.starts, s), append(out.startProb, t.Start[s])
		}
	}
	out.startSums = sparse.Sums(out.startProb, 1)
	out.spec.RewardMin, out.spec.RewardMax = math.Inf(1), math.Inf(-1)
	numbers := make([]float64, 2*m.latents+1)
	prob, reward := numbers[:m.latents], numbers[m.latents:2*m.latents]
	for s := range m.states {
		for a := range m.actions {
			for next := range m.states {
				follows := false
				clear(reward)
				for l := range prob {
					if prob[l] = t.prob(l, a, s, next); prob[l] == 0 {
						continue
					}
					follows = true
					reward[l] = t.reward(l, a, s, next)
					out.spec.RewardMin, out.spec.RewardMax = min(out.spec.RewardMin, reward[l]), max(out.spec.RewardMax, reward[l])
				}
				if follows {
					numbers[2*m.latents] = num.OfBool(t.Ends != nil && t.Ends[next])
					out.rows.Add(int32(next), out.vectors.Number(numbers))
				}
			}
			out.row = append(out.row, out.rows.EndRow())
		}
	}
	out.seal()
	return out
}

// prob returns P(next | s, φ, a).
func (t *Tables) prob(latent, action, s, next int) float64 {
	switch row := t.P[latent][action][s]; {
	case row != nil:
		return row[next]
	case next == s: // nothing follows: stay, at no reward
		return 1
	}
	return 0
}

// reward returns the reward for a next state that can follow.
func (t *Tables) reward(latent, action, s, next int) float64 {
	switch {
	case t.Ends != nil && t.Ends[s]:
		return 0
	case t.R != nil:
		return t.R[latent][action][s]
	}
	return t.RNext[latent][action][s][next]
}
