package tabular

import (
	"context"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// Agent chooses actions in an MDP of which it knows a Posterior, which it was made with.
type Agent interface {
	// Act returns an action at a state. If ctx ends, it soon returns its error.
	Act(ctx context.Context, s int, rng *rand.Rand) (action int, err error)
	// Learned says that the posterior has got to know what followed (s, action).
	Learned(s, action, next int)
	// Begin says that the MDP is another one, of which the posterior knows nothing.
	Begin()
}

// Policy returns the policy of an agent for m, which learns within an episode. make makes the
// agent of a posterior. The error is that of New.
//
// If m has a list of latents, the posterior is the belief that the policy is given. If its
// transitions are unknown, it is what Observe has said since Begin. An Act that does not follow
// an Observe begins an episode.
func Policy(ctx context.Context, m bcpace.Model, algorithm string, make func(Posterior) Agent) (bcpace.Policy, error) {
	know, err := New(ctx, m, algorithm)
	if err != nil {
		return nil, err
	}
	f, _ := bcpace.AsFinite(m)
	spec := m.Spec()
	p := &policy{model: f, axes: len(spec.Axes), latents: len(spec.Latents), first: know, make: make, at: -1}
	p.begin()
	return p, nil
}

type policy struct {
	model         bcpace.Finite
	axes, latents int
	first, know   Posterior // at the beginning of an episode, and now
	make          func(Posterior) Agent
	agent         Agent
	at            int  // state of the last action, −1 before there is one
	followed      bool // Observe has said what followed it
}

func (p *policy) begin() {
	p.know = p.first.Fork()
	p.agent = p.make(p.know)
}

// Begin is bcpace.PolicyAbilities.Begin.
func (p *policy) Begin([]float64, bcpace.Belief) { p.followed = false }

// forget begins an episode.
func (p *policy) forget() {
	p.know.Undo(0)
	if l, ok := p.know.(*LatentPosterior); ok {
		l.forget()
	}
	p.agent.Begin()
}

// Act implements bcpace.Policy.
func (p *policy) Act(s []float64, b bcpace.Belief, rng *rand.Rand) int {
	action, _ := p.Decide(context.Background(), s, b, rng)
	return action
}

// Decide is bcpace.PolicyAbilities.Act.
func (p *policy) Decide(ctx context.Context, s []float64, b bcpace.Belief, rng *rand.Rand) (action int, err error) {
	if len(s) != p.axes || len(b) != p.latents {
		return -1, nil
	}
	if p.at = p.model.StateIndex(s); p.at < 0 {
		return -1, nil
	}
	if l, ok := p.know.(*LatentPosterior); ok {
		if b.Validate() != nil {
			return -1, nil
		}
		l.SetBelief(b)
	}
	if !p.followed {
		p.forget()
	}
	p.followed = false
	if action, err = p.agent.Act(ctx, p.at, rng); err != nil {
		return -1, err
	}
	return action, nil
}

// Observe is bcpace.PolicyAbilities.Observe.
func (p *policy) Observe(action int, _ float64, next []float64) {
	s, to := p.at, p.model.StateIndex(next)
	p.at, p.followed = -1, true
	if s < 0 || to < 0 {
		return
	}
	if l, ok := p.know.(*LatentPosterior); ok {
		l.visit(s, action)
	} else if err := p.know.Observe(s, action, to); err != nil {
		return // the world is none that the prior allows: nothing to learn
	}
	p.agent.Learned(s, action, to)
}

// Fork is bcpace.PolicyAbilities.Fork.
func (p *policy) Fork() bcpace.Policy {
	q := *p
	q.begin()
	q.at, q.followed = -1, false
	return &q
}
