package solverkit

import (
	"context"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// Asked returns p as a policy that is asked about other states: at returns the state that p sees in
// the place of s, and false where p is not asked, so that there is no action. Its b is nil where no
// belief is at hand, as in Observe.
//
// The policy returned can do all that p can: it is a bcpace.Planner, a bcpace.Inspector or a
// bcpace.Episodic if and only if p is, and it hands on Fork, the context of a LongActor, what p
// refuses and what bcpace.ForPolicy asks. The states of a search tree are those that p sees.
func Asked(p bcpace.Policy, at func(s []float64, b bcpace.Belief) (seen []float64, ok bool)) bcpace.Policy {
	v := view{p, at}
	planner, plans := bcpace.AsPlanner(p)
	episodic, remembers := AsEpisodic(p)
	inspector, shows := AsInspector(p)
	switch {
	case shows && remembers:
		return &struct {
			view
			planning
			inspecting
			remembering
		}{v, planning{planner, at}, inspecting{inspector}, remembering{episodic, at}}
	case shows:
		return &struct {
			view
			planning
			inspecting
		}{v, planning{planner, at}, inspecting{inspector}}
	case plans && remembers:
		return &struct {
			view
			planning
			remembering
		}{v, planning{planner, at}, remembering{episodic, at}}
	case plans:
		return &struct {
			view
			planning
		}{v, planning{planner, at}}
	case remembers:
		return &struct {
			view
			remembering
		}{v, remembering{episodic, at}}
	}
	return v
}

// asks says about which state a policy is asked.
type asks = func(s []float64, b bcpace.Belief) (seen []float64, ok bool)

// view is what every policy of Asked can do.
type view struct {
	policy bcpace.Policy
	at     asks
}

// Act implements bcpace.Policy.
func (v view) Act(s []float64, b bcpace.Belief, rng *rand.Rand) int {
	if seen, ok := v.at(s, b); ok {
		return v.policy.Act(seen, b, rng)
	}
	return -1
}

// Refusal says why there is no action.
func (v view) Refusal(s []float64, b bcpace.Belief) error {
	if seen, ok := v.at(s, b); ok {
		return Refusal(v.policy, seen, b)
	}
	return nil
}

// Fork implements bcpace.Forker.
func (v view) Fork() bcpace.Policy { return Asked(bcpace.Fork(v.policy), v.at) }

// Within implements LongActor.
func (v view) Within(ctx context.Context) bcpace.Policy { return Asked(Within(ctx, v.policy), v.at) }

// PlayedIn is bcpace.ForPolicy.
func (v view) PlayedIn(m bcpace.Model) (bcpace.Model, error) { return bcpace.ForPolicy(m, v.policy) }

type planning struct {
	planner bcpace.Planner
	at      asks
}

// Plan implements bcpace.Planner.
func (p planning) Plan(ctx context.Context, s []float64, b bcpace.Belief, rng *rand.Rand) (bcpace.Decision, error) {
	if seen, ok := p.at(s, b); ok {
		return p.planner.Plan(ctx, seen, b, rng)
	}
	return bcpace.Decision{Action: -1}, nil
}

type inspecting struct{ inspector bcpace.Inspector }

// Nodes implements bcpace.Inspector.
func (p inspecting) Nodes(most int) ([]bcpace.SearchNode, error) { return p.inspector.Nodes(most) }

type remembering struct {
	episodic bcpace.Episodic
	at       asks
}

// Begin implements bcpace.Episodic.
func (p remembering) Begin(s []float64, b bcpace.Belief) {
	if seen, ok := p.at(s, b); ok {
		p.episodic.Begin(seen, b)
	}
}

// Observe implements bcpace.Episodic.
func (p remembering) Observe(action int, reward float64, next []float64) {
	if seen, ok := p.at(next, nil); ok {
		p.episodic.Observe(action, reward, seen)
	}
}
