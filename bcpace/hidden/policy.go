package hidden

import (
	"context"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// Policy chooses actions at a state and a belief. Where it is no Forker, it is safe for concurrent use.
type Policy interface {
	// Act returns the id of an action. A policy that plans ends soon after ctx, with an error.
	Act(ctx context.Context, s []float64, b Belief, rng *rand.Rand) (action int, err error)
}

// Planner is a Policy that searches at every decision.
type Planner interface {
	Policy
	// Plan searches from (s, b). If ctx ends, it soon returns the decision so far beside the error of ctx.
	Plan(ctx context.Context, s []float64, b Belief, rng *rand.Rand) (bcpace.Decision, error)
}

// Forker is a Policy with working memory, for one goroutine.
type Forker interface {
	Policy
	// Fork returns the policy for another goroutine.
	Fork() Policy
}

// Episodic is a Policy that remembers what was before in an episode, such as a tree that is kept.
type Episodic interface {
	Policy
	// Begin says that an episode begins.
	Begin()
	// Observe says what followed the action of the last Act, and that the episode goes on.
	Observe(action int, reward float64, next []float64)
}

// fork returns a policy for another goroutine.
func fork(p Policy) Policy {
	if f, ok := p.(Forker); ok {
		return f.Fork()
	}
	return p
}

// PolicyFunc is a function as a Policy. It must be safe for concurrent use.
type PolicyFunc func(s []float64, b Belief, rng *rand.Rand) (action int)

// Act implements Policy.
func (f PolicyFunc) Act(_ context.Context, s []float64, b Belief, rng *rand.Rand) (int, error) {
	return f(s, b, rng), nil
}

// RandomPolicy draws each action with equal probability and, in a Box, each control.
func RandomPolicy(m *Model) Policy {
	return PolicyFunc(func(_ []float64, _ Belief, rng *rand.Rand) int { return m.Spec.DrawAction(rng) })
}
