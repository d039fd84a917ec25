// Package online is what planners share that search at every decision, within a budget. Each
// has a package of its own below this one.
package online

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// Planner is a policy that plans (bcpace.PolicyAbilities.Plan), which a Search makes. It keeps what the search knows from step
// to step of an episode.
type Planner struct{ decider[bcpace.Belief] }

// New returns the planner of a model with that description; make makes a search for each
// goroutine.
func New(spec bcpace.Spec, budget bcpace.Budget, make func() Search[bcpace.Belief]) *Planner {
	return &Planner{newDecider(spec, budget, make)}
}

// Plan is bcpace.PolicyAbilities.Plan.
func (p *Planner) Plan(ctx context.Context, s []float64, b bcpace.Belief, rng *rand.Rand) (bcpace.Decision, error) {
	return p.plan(ctx, s, b, rng, func() error { return CheckPoint(p.spec, s, b) })
}

// CheckPoint returns an *bcpace.InputError unless s and b are a state and belief of the model
// with that description.
func CheckPoint(spec bcpace.Spec, s []float64, b bcpace.Belief) error {
	if err := checkState(spec, s); err != nil {
		return err
	}
	if len(b) != len(spec.Latents) {
		return in(spec).Bad("the belief", fmt.Sprintf("%d long", len(b)), fmt.Sprintf("%d, one probability for each latent", len(spec.Latents)))
	}
	if off, want := spec.OffAxes(s); off != "" {
		return in(spec).Bad("the state", fmt.Sprint(s)+", "+off, want)
	}
	return b.Validate()
}

// Nodes is bcpace.PolicyAbilities.Nodes.
func (p *Planner) Nodes(most int) (nodes []bcpace.SearchNode, err error) {
	defer p.guard(&bcpace.Decision{}, &err, nil)
	if x, ok := p.search.(Shower); ok {
		return x.Top(most)
	}
	return nil, nil
}

// Act implements bcpace.Policy: the Action of Plan.
func (p *Planner) Act(s []float64, b bcpace.Belief, rng *rand.Rand) int {
	d, _ := p.Plan(context.Background(), s, b, rng)
	return d.Action
}

// Begin is bcpace.PolicyAbilities.Begin.
func (p *Planner) Begin([]float64, bcpace.Belief) { p.followed = false }

// Observe is bcpace.PolicyAbilities.Observe.
func (p *Planner) Observe(action int, _ float64, next []float64) {
	if k, ok := p.search.(Keeper); ok {
		k.Advance(action, next)
	}
	p.followed = true
}

// Fork is bcpace.PolicyAbilities.Fork.
func (p *Planner) Fork() bcpace.Policy { return &Planner{p.fork()} }

// SameBelief reports whether beliefs differ by no more than rounding. Where they do, what was
// found behind one of them says nothing of the other, which may even allow what it rules out.
func SameBelief(a, b bcpace.Belief) bool {
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-9 {
			return false
		}
	}
	return true
}
