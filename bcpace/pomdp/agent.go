package pomdp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/rollout"
)

// Agent plays a policy of a POMDP: it keeps the belief over what is hidden. What it is told to be seen has the number of what is visible
// and then, after an action, that of the observation. It is for one goroutine.
type Agent struct {
	*PlacedPolicy
	model *Model

	x, left, taken int       // what is visible now, the steps left, those taken
	b, next        []float64 // belief over what is hidden, and scratch space
}

var _ rollout.Agent = (*Agent)(nil)

// NewAgent returns an agent of m with a policy found for of, see Place.
func NewAgent(ctx context.Context, m, of *Model, p Policy) (*Agent, error) {
	if err := m.ValidateContext(ctx); err != nil {
		return nil, err
	}
	placed, err := Place(ctx, m, of, p)
	if err != nil {
		return nil, err
	}
	return newAgent(m, placed), nil
}

func newAgent(m *Model, p *PlacedPolicy) *Agent {
	return &Agent{PlacedPolicy: p, model: m, b: make([]float64, m.NumHidden()), next: make([]float64, m.NumHidden())}
}

// Belief returns what is believed of the hidden values now, a view.
func (a *Agent) Belief() []float64 { return a.b }

// Over reports whether the policy is for so many steps as were taken.
func (a *Agent) Over() bool { return a.Steps > 0 && a.left == 0 }

// Begin implements rollout.Agent. Where no start shows seen, the belief is the first one.
func (a *Agent) Begin(seen []float64, _ *rand.Rand) (surprised bool, err error) {
	a.x, a.left, a.taken = int(seen[0]), a.Steps, 0
	if surprised = a.model.StartBelief(a.b, a.x) == 0; surprised {
		a.prior(a.b)
	}
	return surprised, nil
}

// Decide implements rollout.Agent. The action is one that is offered, see Model.Offers.
func (a *Agent) Decide(_ context.Context, d *bcpace.Decision, _ *rand.Rand) (err error) {
	d.Action, err = a.Act(a.taken, a.x, a.b, a.left)
	if err == nil && a.model.Offers != nil {
		y := slices.IndexFunc(a.b, func(p float64) bool { return p > 0 })
		d.Action = int(a.model.Offers[a.x*len(a.b)+y][d.Action])
	}
	return err
}

// Observe implements rollout.Agent. Where the belief had ruled out what is seen, it is what this tells after the first belief, or after an even
// one where that rules it out too; or the first belief.
func (a *Agent) Observe(action int, _ float64, seen []float64, _ *rand.Rand) (surprised bool, err error) {
	x, observation := int(seen[0]), int(seen[1])
	if a.model.Update(a.next, a.b, a.x, action, x, observation) == 0 {
		surprised = true
		a.prior(a.b)
		if a.model.Update(a.next, a.b, a.x, action, x, observation) == 0 {
			for y := range a.b {
				a.b[y] = 1 / float64(len(a.b))
			}
			if a.model.Update(a.next, a.b, a.x, action, x, observation) == 0 {
				a.prior(a.next)
			}
		}
	}
	a.b, a.next = a.next, a.b
	a.x, a.left, a.taken = x, a.left-1, a.taken+1
	return surprised, nil
}

// prior fills b with the belief over what is hidden before anything is seen.
func (a *Agent) prior(b []float64) {
	clear(b)
	for _, e := range a.model.Start {
		b[int(e.At)%len(b)] += e.Value
	}
}

// PlacedPolicy is a policy that acts where a model is, which may be another one than that which it was found for.
type PlacedPolicy struct {
	Steps int // that the policy counts among what is visible, 0 for none

	of       *Model
	policy   Policy
	revealed *Revealed // of which of is, or nil
	before   bool      // the model is what is revealed, and of what it was made of
	believed []float64 // over what is hidden in of, where there is something revealed
}

// Place returns a policy found for of as one for m: of is m itself, what Reveal makes of it, or one of these with the steps left among
// what is visible (FiniteHorizon). The error is that of ctx, or an *bcpace.InputError for models that do not go together.
func Place(ctx context.Context, m, of *Model, p Policy) (*PlacedPolicy, error) {
	bad := bcpace.In("policy of a POMDP").Bad
	if p == nil || of == nil {
		return nil, bad("the policy", "nil", "one of a solver or of your own, with its model")
	}
	n, placed := m.NumVisible(), &PlacedPolicy{of: of, policy: Fork(p)}
	if !sameStates(of, m) {
		revealed, err := Revealing(ctx, m)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil || !sameStates(of, revealed.Model):
			return nil, bad("the policy", fmt.Sprintf("for %d visible and %d hidden states", of.NumVisible(), of.NumHidden()),
				fmt.Sprintf("one for the %d visible and %d hidden states of model %q, for what its observations reveal of them, or for either with the steps left", n, m.NumHidden(), m.Name))
		}
		placed.revealed, placed.believed, n = revealed, make([]float64, of.NumHidden()), revealed.Model.NumVisible()
	}
	placed.Steps = of.NumVisible()/n - 1
	return placed, nil
}

// placeBefore returns a policy found for of, which has the states of m, as one for what Reveal makes of m.
func placeBefore(ctx context.Context, m, of *Model, p Policy) (*PlacedPolicy, error) {
	revealed, err := Revealing(ctx, m)
	if err != nil {
		return nil, err
	}
	return &PlacedPolicy{Steps: of.NumVisible()/m.NumVisible() - 1, of: of, policy: Fork(p), revealed: revealed, before: true, believed: make([]float64, m.NumHidden())}, nil
}

// Act returns the action at step t, where x is visible, b is believed and so many steps are left. For errors see Model.Act.
func (p *PlacedPolicy) Act(t, x int, b []float64, left int) (int, error) {
	switch {
	case p.before:
		x, b = p.revealed.before(p.believed, x, b), p.believed
	case p.revealed != nil:
		x, b = p.revealed.Belief(p.believed, x, b), p.believed
	}
	if p.Steps > 0 {
		x = x*(p.Steps+1) + left
	}
	return p.of.Act(p.policy, t, x, b)
}

// Fork returns the policy for another goroutine.
func (p *PlacedPolicy) Fork() *PlacedPolicy {
	q := *p
	q.policy = Fork(p.policy)
	if p.revealed != nil {
		q.believed = make([]float64, len(p.believed))
	}
	return &q
}

// sameStates reports whether of has the states and the actions of m, or also the steps left.
func sameStates(of, m *Model) bool {
	own := len(m.Visible)
	return len(of.Visible) >= own && len(of.Visible) <= own+1 && len(of.Actions) == len(m.Actions) && sameVariables(of.Visible[:own], m.Visible) && sameVariables(of.Hidden, m.Hidden)
}

func sameVariables(a, b []Variable) bool {
	return slices.EqualFunc(a, b, func(v, w Variable) bool { return v.Name == w.Name && slices.Equal(v.Values, w.Values) })
}

// OnSeen returns p, a policy found for of (see Place), as a policy of the BAMDP that AsBAMDP has made of m, or of what Reveal makes of
// m. The error is that of Place, or a *bcpace.UnsupportedError for another BAMDP.
func OnSeen(ctx context.Context, b bcpace.Model, m, of *Model, p Policy) (bcpace.Policy, error) {
	f, made, err := madeOf(ctx, b, m)
	if err != nil {
		return nil, err
	}
	placed, err := Place(ctx, made, of, p)
	if err != nil && ctx.Err() == nil && of != nil && sameStates(of, m) {
		placed, err = placeBefore(ctx, m, of, p)
	}
	if err != nil {
		return nil, err
	}
	played := b
	if placed.Steps > 0 {
		played = bcpace.KeepHorizon(b)
	}
	return bcpace.PolicyOf(played, onSeen{placed, f, made.NumHidden(), made.seen(), len(f.Spec().Axes), len(played.Spec().Axes)}), nil
}

// madeOf returns a BAMDP that AsBAMDP has made of m, or of what Reveal makes of m, and of which of the two.
func madeOf(ctx context.Context, b bcpace.Model, m *Model) (bcpace.Finite, *Model, error) {
	unsupported := &bcpace.UnsupportedError{Model: b.Spec().Name, Algorithm: "acting by the policy of a POMDP", Need: "the BAMDP of its file"}
	f, finite := bcpace.AsFinite(b)
	if !finite || m == nil {
		return nil, nil, unsupported
	}
	fits := func(m *Model) bool {
		return f.NumStates() == m.NumVisible()*m.seen() && len(f.Spec().Latents) == m.NumHidden()
	}
	if fits(m) {
		return f, m, nil
	}
	revealed, err := Revealing(ctx, m)
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil || !fits(revealed.Model):
		return nil, nil, unsupported
	}
	return f, revealed.Model, nil
}

type onSeen struct {
	*PlacedPolicy
	model             bcpace.Finite
	hidden, seen      int
	ownAxes, withLeft int // of a state, and with the steps left
}

// Act implements bcpace.Policy.
func (p onSeen) Act(s []float64, b bcpace.Belief, rng *rand.Rand) int {
	action, _ := p.Decide(context.Background(), s, b, rng)
	return action
}

// Decide is bcpace.PolicyAbilities.Act.
func (p onSeen) Decide(_ context.Context, s []float64, b bcpace.Belief, _ *rand.Rand) (int, error) {
	if len(s) != p.withLeft || len(b) != p.hidden {
		return -1, nil
	}
	left := 0
	if p.withLeft > p.ownAxes {
		left = int(s[p.ownAxes])
	}
	n := p.model.StateIndex(s[:p.ownAxes])
	if n < 0 {
		return -1, nil
	}
	return p.PlacedPolicy.Act(p.Steps-left, n/p.seen, b, left)
}

// Fork is bcpace.PolicyAbilities.Fork.
func (p onSeen) Fork() bcpace.Policy {
	p.PlacedPolicy = p.PlacedPolicy.Fork()
	return p
}
