package family

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/tabular"
)

// Unknown returns m for agents that do not know its transitions, of which they have a prior.
// It is the model on which learning solvers are tried: it acts as m does, and each of its
// latents is an MDP that an agent may meet. The error is an *bcpace.InputError for a prior that
// cannot be used, also where m pays by the next state and the prior does not say how, or an
// *bcpace.UnsupportedError for a latent that moves.
func Unknown(m bcpace.Finite, prior bcpace.TransitionPrior) (bcpace.UnknownTransitions, error) {
	if m == nil {
		return nil, bcpace.In("Unknown").Bad("the model", "nil", "a finite model")
	}
	if err := tabular.Check(m, "Unknown"); err != nil {
		return nil, err
	}
	u := unknown{m, prior}
	if _, err := tabular.NewRows(context.Background(), u); err != nil {
		return nil, err
	}
	return u, nil
}

type unknown struct {
	bcpace.Finite
	prior bcpace.TransitionPrior
}

// TransitionPrior implements bcpace.UnknownTransitions.
func (u unknown) TransitionPrior() bcpace.TransitionPrior { return u.prior }

// StartLogLikelihood implements bcpace.StartLikelihood.
func (u unknown) StartLogLikelihood(s []float64, latent int) float64 {
	if l, ok := u.Finite.(bcpace.StartLikelihood); ok {
		return l.StartLogLikelihood(s, latent)
	}
	return 0
}

// TransitionTables is the Family of the finite MDPs that an agent holds possible which does not know the
// transitions: θ has P(s'|s,a) for each state, action and state that may follow, in this order,
// and each row is drawn independently. See NewTables.
type TransitionTables struct {
	model bcpace.UnknownTransitions
	prior bcpace.TransitionPrior
	first *tabular.Rows // before anything was observed
	start []int         // of each row in θ, and the length of θ
}

// mostTable is the largest number of probabilities of a list of tables: 800 MB.
const mostTable = 100_000_000

// NewTables returns the family of the MDPs that m may be for an agent that does not know its
// transitions. States, actions, rewards and starts are those of m. The errors are those of
// Unknown.
func NewTables(m bcpace.UnknownTransitions) (*TransitionTables, error) {
	if m == nil {
		return nil, bcpace.In("NewTables").Bad("the model", "nil", "a model of unknown transitions")
	}
	rows, err := tabular.NewRows(context.Background(), m)
	if err != nil {
		return nil, err
	}
	f := &TransitionTables{model: m, prior: m.TransitionPrior(), first: rows, start: []int{0}}
	for r := range rows.States() * rows.Actions() {
		f.start = append(f.start, f.start[r]+rows.Width(f.split(r)))
	}
	return f, nil
}

// split returns the state and the action of a row.
func (f *TransitionTables) split(row int) (s, action int) {
	return row / f.first.Actions(), row % f.first.Actions()
}

// Params implements Family.
func (f *TransitionTables) Params() []Param {
	spec := f.model.Spec()
	list := make([]Param, 0, f.start[len(f.start)-1])
	for r := range len(f.start) - 1 {
		s, a := f.split(r)
		for i := range f.first.Width(s, a) {
			list = append(list, Param{Name: fmt.Sprintf("P(%d|%d,%s)", f.first.Candidate(s, a, i), s, spec.ActionName(a)), Max: 1})
		}
	}
	return list
}

// Draw implements Family.
func (f *TransitionTables) Draw(θ []float64, rng *rand.Rand) { f.first.Fork().DrawTable(θ, rng) }

// Posterior returns what an agent knows before it has observed anything.
func (f *TransitionTables) Posterior() *Counts { return &Counts{f, f.first.Fork()} }

// Model implements Family.
func (f *TransitionTables) Model(thetas [][]float64) (bcpace.Model, error) {
	bad := func(what string, got any, want string) error {
		return bcpace.In(fmt.Sprintf("tables of model %q", f.model.Spec().Name)).Bad(what, got, want)
	}
	length := f.start[len(f.start)-1]
	if n := len(thetas); n == 0 || n > max(1, mostTable/length) {
		return nil, bad("the list of θ", fmt.Sprintf("%d long", n), fmt.Sprintf("from 1 to %d tables of %d probabilities", max(1, mostTable/length), length))
	}
	m := &tables{Finite: f.model, f: f, spec: f.model.Spec(), thetas: thetas}
	m.spec.Latents = make([]string, len(thetas))
	for φ, θ := range thetas {
		m.spec.Latents[φ] = fmt.Sprintf("table %d", φ+1)
		if len(θ) != length {
			return nil, bad(fmt.Sprintf("θ number %d", φ), fmt.Sprintf("%d long", len(θ)), fmt.Sprintf("%d, a probability for each state, action and state that may follow", length))
		}
		for r := range len(f.start) - 1 {
			sum := 0.0
			for _, p := range θ[f.start[r]:f.start[r+1]] {
				if !(p >= 0) {
					sum = math.NaN()
				}
				sum += p
			}
			if !(math.Abs(sum-1) <= 1e-9) {
				s, a := f.split(r)
				return nil, bad(fmt.Sprintf("row (%d, %s) of θ number %d", s, m.spec.ActionName(a), φ), fmt.Sprintf("probabilities of sum %v", sum), "probabilities of sum 1")
			}
		}
	}
	return m, nil
}

// tables is the model of a list of tables.
type tables struct {
	bcpace.Finite // which has the states
	f             *TransitionTables
	spec          bcpace.Spec
	thetas        [][]float64
}

// Spec implements bcpace.Model.
func (m *tables) Spec() bcpace.Spec { return m.spec }

// Prior implements bcpace.Model.
func (m *tables) Prior(b bcpace.Belief) { copy(b, bcpace.Uniform(len(b))) }

// Start implements bcpace.Model.
func (m *tables) Start(s []float64, _ int, rng *rand.Rand) { m.f.model.Start(s, 0, rng) }

// row returns the row of a state and an action, and the number of the state.
func (m *tables) row(s []float64, action int) (r, from int) {
	from = m.StateIndex(s)
	return from*m.f.first.Actions() + action, from
}

// Step implements bcpace.Model.
func (m *tables) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	r, from := m.row(s, action)
	u, to := rng.Float64(), 0
	for i, p := range m.thetas[latent][m.f.start[r]:m.f.start[r+1]] {
		if p > 0 {
			to = m.f.first.Candidate(from, action, i)
			if u -= p; u < 0 {
				break
			}
		}
	}
	m.StateAt(next, to)
	return bcpace.Outcome{Reward: m.f.first.Reward(from, action, to)}
}

// LogLikelihood implements bcpace.Model.
func (m *tables) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	r, from := m.row(s, action)
	to := m.StateIndex(next)
	if m.f.prior.Follow == nil {
		return math.Log(m.thetas[latent][m.f.start[r]+to])
	}
	for i := range m.f.first.Width(from, action) {
		if m.f.first.Candidate(from, action, i) == to {
			return math.Log(m.thetas[latent][m.f.start[r]+i])
		}
	}
	return math.Inf(-1)
}

// Starts implements bcpace.Enumerator.
func (m *tables) Starts(z *bcpace.Successors) {
	var own bcpace.Successors
	own.Reset(len(m.spec.Axes), len(m.f.model.Spec().Latents))
	m.f.model.Starts(&own)
	for i := range own.Len() {
		from, prob, _ := own.Row(i)
		s, p, _ := z.Add(false)
		copy(s, from)
		for φ := range p {
			p[φ] = prob[0]
		}
	}
}

// Successors implements bcpace.Enumerator.
func (m *tables) Successors(z *bcpace.Successors, s []float64, action int) {
	r, from := m.row(s, action)
	for i := range m.f.first.Width(from, action) {
		if !slices.ContainsFunc(m.thetas, func(θ []float64) bool { return θ[m.f.start[r]+i] > 0 }) {
			continue
		}
		to := m.f.first.Candidate(from, action, i)
		next, p, reward := z.Add(false)
		m.StateAt(next, to)
		paid := m.f.first.Reward(from, action, to)
		for φ, θ := range m.thetas {
			p[φ], reward[φ] = θ[m.f.start[r]+i], paid
		}
	}
}

// Counts is the posterior of a table of transitions: how often each state has followed. It is
// for one goroutine.
type Counts struct {
	family *TransitionTables
	rows   *tabular.Rows
}

// Observe says that next has followed a state after an action. The error is an
// *bcpace.InputError for what is no state or action, or an *bcpace.ImpossibleObservationError
// for a state that the prior says cannot follow; nothing is learned then.
func (c *Counts) Observe(s []float64, action int, next []float64) error {
	from, err := c.row(s, action)
	if err != nil {
		return err
	}
	to, err := c.row(next, action)
	if err != nil {
		return err
	}
	return c.rows.Observe(from, action, to)
}

// Observed returns the number of observations.
func (c *Counts) Observed() int { return c.rows.Observed() }

// Mean returns the posterior mean of P(·|s, action) by number of the state.
func (c *Counts) Mean(s []float64, action int) ([]float64, error) {
	from, err := c.row(s, action)
	if err != nil {
		return nil, err
	}
	return c.rows.Mean(from, action), nil
}

// Draw draws a table from the posterior into θ, as Family.Draw does from the prior.
func (c *Counts) Draw(θ []float64, rng *rand.Rand) { c.rows.DrawTable(θ, rng) }

// row returns the number of a state, and an error for what is no state or action.
func (c *Counts) row(s []float64, action int) (int, error) {
	spec := c.family.model.Spec()
	bad := bcpace.In(fmt.Sprintf("counts of model %q", spec.Name)).Bad
	n := -1
	if len(s) == len(spec.Axes) {
		n = c.family.model.StateIndex(s)
	}
	switch {
	case n < 0:
		return 0, bad("the state", s, fmt.Sprintf("one of its %d states", c.rows.States()))
	case action < 0 || action >= c.rows.Actions():
		return 0, bad("action", action, fmt.Sprintf("an id from 0 to %d", c.rows.Actions()-1))
	}
	return n, nil
}
