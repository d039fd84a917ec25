// Package tabular is what an agent knows of a finite MDP whose transitions it learns: the
// posterior of its table of transitions, as counts under a Dirichlet prior of each row, or as a
// belief over a list of tables. Algorithms of Bayesian reinforcement learning work on either.
package tabular

import (
	"context"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/solverkit"
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
	p.know = p.first.fork()
	p.agent = p.make(p.know)
}

// Begin is bcpace.PolicyAbilities.Begin.
func (p *policy) Begin([]float64, bcpace.Belief) { p.followed = false }

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
	if !p.followed { // an episode begins
		p.know.forget()
		p.agent.Begin()
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
	if s < 0 || to < 0 || p.know.learn(s, action, to) != nil {
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

// Posterior is a distribution over finite MDPs, which differ in their transitions. States and
// actions are numbers. A Posterior is for one goroutine.
type Posterior interface {
	// States and Actions return how many there are.
	States() int
	Actions() int
	// Discount returns γ.
	Discount() float64
	// Count returns how many observations of (s, a) stand behind what is known of it, those
	// included that the prior is worth.
	Count(s, action int) float64
	// Backup returns the mean of r + γ·v(s') over what follows (s, a), where total is the sum
	// of v.
	Backup(s, action int, v []float64, total float64) float64
	// Moments appends to list what may follow (s, a).
	Moments(s, action int, list []Moment) []Moment
	// Draw draws an MDP and puts it into p, which it reuses.
	Draw(p *mdp.MDP, rng *rand.Rand)

	// learn says that next has followed (s, a), and forget that an episode begins. Of latents both are told by the belief.
	learn(s, action, next int) error
	forget()
	// fork returns the same posterior, for another goroutine.
	fork() Posterior
}

// Moment is the mean and the variance of P(s'|s,a) in a Posterior.
type Moment struct {
	Next           int
	Mean, Variance float64
}

// New returns what an agent knows of m at first: counts if m is a
// bcpace.UnknownTransitions, and its prior otherwise. The error is an *bcpace.InputError for a
// prior that cannot be used, an *bcpace.UnsupportedError for a model that is not finite, or that
// of dp.ListTransitions.
func New(ctx context.Context, m bcpace.Model, algorithm string) (Posterior, error) {
	if u, ok := m.(bcpace.UnknownTransitions); ok {
		if err := Check(u, algorithm); err != nil {
			return nil, err
		}
		return NewRows(ctx, u)
	}
	f, ok := bcpace.AsFinite(m)
	if !ok {
		return nil, notFinite(m, algorithm)
	}
	return NewLatents(ctx, f)
}

// Check returns a *bcpace.UnsupportedError for a model that is not finite or whose latent moves:
// its transitions cannot be unknown.
func Check(m bcpace.Model, algorithm string) error {
	if _, ok := bcpace.AsFinite(m); !ok {
		return notFinite(m, algorithm)
	}
	if kind := bcpace.KindOf(m); kind != bcpace.Static {
		return &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: algorithm,
			Need: "a latent that stays as it is, and this one is " + kind.String() + ": what was learned of a table would not stay true"}
	}
	return nil
}

func notFinite(m bcpace.Model, algorithm string) error {
	return &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: algorithm, Need: solverkit.NeedNumbered(m)}
}
