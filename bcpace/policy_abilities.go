package bcpace

import (
	"context"
	"math/rand/v2"
)

// PolicyAbilities are what a policy can do: a function for each ability, nil where it has it not. A policy of a type of its own
// has an ability if it has the method in brackets. DerivePolicy makes a policy of another one, which keeps its abilities.
type PolicyAbilities struct {
	// Act [Decide] returns the id of an action, or −1 where there is none, with the reason as an error if there is one. It soon
	// ends after ctx, with an error that wraps that of ctx. It is there for every policy: without Decide or Plan it is Policy.Act.
	Act func(ctx context.Context, s []float64, b Belief, rng *rand.Rand) (action int, err error)
	// Plan [Plan] searches from (s, b) anew at every decision, within a Budget, such as the planners of package online do. All
	// that is random comes from rng. If ctx ends, it soon returns the decision so far beside the error of ctx. Other errors are
	// an *InputError for what is no state and belief of the policy's model, and a *ConformanceError.
	Plan func(ctx context.Context, s []float64, b Belief, rng *rand.Rand) (Decision, error)
	// Nodes [Nodes] returns the top of the search tree of the last decision, so many nodes at most: the root, and then again and
	// again the most visited of those that follow a node before it. Ask before Observe. It returns nothing where there was no
	// decision or the search has no tree; the error is that of the Bayes estimator.
	Nodes func(most int) ([]SearchNode, error)
	// Begin and Observe [both of them] are of a policy with memory within an episode, such as a search tree. Begin says that an
	// episode begins in s with belief b, and Observe what followed the action of the last Act, and that the episode goes on.
	// Who plays episodes calls both. Exact evaluation refuses such a policy. Act must do without them, as if an episode began.
	Begin   func(s []float64, b Belief)
	Observe func(action int, reward float64, next []float64)
	// Fork [Fork] returns the policy for another goroutine. Without it, one policy is safe for all goroutines.
	Fork func() Policy
	// Keep [Keep] returns the kind of the policy, and its data for package json. The error says why this policy has none.
	Keep func() (kind string, data any, err error)
	// PlayedIn [PlayedIn] is ForPolicy.
	PlayedIn func(m Model) (Model, error)
	// Inside is the policy itself or, of a policy of PolicyOf, the one that PolicyOf was given. It is nil for one of DerivePolicy.
	Inside Policy
}

// PolicyAbilitiesOf asks p what it can do.
func PolicyAbilitiesOf(p Policy) PolicyAbilities {
	if d, ok := p.(*derivedPolicy); ok {
		return d.can
	}
	can := PolicyAbilities{Inside: p, Act: func(_ context.Context, s []float64, b Belief, rng *rand.Rand) (int, error) {
		return p.Act(s, b, rng), nil
	}}
	if x, ok := p.(interface {
		Plan(context.Context, []float64, Belief, *rand.Rand) (Decision, error)
	}); ok {
		can.Plan, can.Act = x.Plan, func(ctx context.Context, s []float64, b Belief, rng *rand.Rand) (int, error) {
			d, err := x.Plan(ctx, s, b, rng)
			return d.Action, err
		}
	}
	if x, ok := p.(interface {
		Decide(context.Context, []float64, Belief, *rand.Rand) (int, error)
	}); ok {
		can.Act = x.Decide
	}
	if x, ok := p.(interface {
		Nodes(int) ([]SearchNode, error)
	}); ok {
		can.Nodes = x.Nodes
	}
	if x, ok := p.(interface {
		Begin([]float64, Belief)
		Observe(int, float64, []float64)
	}); ok {
		can.Begin, can.Observe = x.Begin, x.Observe
	}
	if x, ok := p.(interface{ Fork() Policy }); ok {
		can.Fork = x.Fork
	}
	if x, ok := p.(interface{ Keep() (string, any, error) }); ok {
		can.Keep = x.Keep
	}
	if x, ok := p.(interface{ PlayedIn(Model) (Model, error) }); ok {
		can.PlayedIn = x.PlayedIn
	}
	return can
}

// DerivePolicy returns a policy made of p: it can do what p can, but for what change does to can, the abilities of p. change must
// set to nil what is no longer true. It is called anew for each Fork, with the fork of p, so that memory which it makes is that
// of one goroutine.
func DerivePolicy(p Policy, change func(p Policy, can *PolicyAbilities)) Policy {
	can := PolicyAbilitiesOf(p)
	can.Inside = nil
	can.Fork = func() Policy { return DerivePolicy(Fork(p), change) }
	change(p, &can)
	return &derivedPolicy{can}
}

// derivedPolicy is the Policy that has given abilities.
type derivedPolicy struct{ can PolicyAbilities }

// Act implements Policy.
func (p *derivedPolicy) Act(s []float64, b Belief, rng *rand.Rand) int {
	action, _ := p.can.Act(context.Background(), s, b, rng)
	return action
}

// Fork returns a policy that another goroutine may use beside p.
func Fork(p Policy) Policy {
	if fork := PolicyAbilitiesOf(p).Fork; fork != nil {
		return fork()
	}
	return p
}
