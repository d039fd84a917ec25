// Package pomcpow is Monte-Carlo planning with double progressive widening, for continuous
// states and for actions with a Box: POMCPOW (Sunberg and Kochenderfer 2018, "Online
// algorithms for POMDPs with continuous state, action, and observation spaces") on a
// Bayes-adaptive MDP.
//
// Where states are continuous, none comes twice, and a tree with a node for each would be one
// step deep. So an edge has only so many next states as
//
//	children ≤ k·n^α   after n visits
//
// (progressive widening: Couëtoux et al. 2011, "Continuous upper confidence trees"), and then
// a simulation goes on to one of those that are there, drawn as often as steps led to them.
// The controls of a Box are widened in the same way, with draws of Spec.DrawAction; a list of
// actions is tried as a whole.
//
// # What POMCPOW becomes
//
// In a POMDP, a node is a history of observations, and its belief is a set of hidden states,
// each weighted by how likely it makes the observation. In a Bayes-adaptive MDP, all that is
// observed is the next state s', and hidden is only the latent φ, one of a list:
//
//	POMCPOW                                    here
//	observation o, node hao                    next state s', node (…, a, s')
//	hidden states in B(hao)                    latents φ, all at once
//	weights W(hao) ∝ Z(o | s, a, s')           b'(φ) ∝ b(φ)·P(s' | s, φ, a), moved as φ moves
//	draw of B(hao) by W, where o is not new    draw of φ from b'
//
// As the latents are a list, the weights of a node are computed for all of them when it is
// added, by the exact Bayes estimator, and no particles are needed. They cost a likelihood for
// each latent and new node. The mean reward of an edge is that of the steps drawn at it, also
// where the simulation goes on in a state that an earlier step drew.
//
// Leaves, UCB1 and backups are those of package pomcp.
package pomcpow

import (
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online"
)

// Solver is POMCPOW as a solver. Every zero value is useful.
type Solver struct {
	// Budget is that of a decision. The default is online.DefaultSimulations simulations.
	Budget bcpace.Budget
	// Exploration, Rollout and RolloutPolicy are those of pomcp.Solver; where an action has a
	// Box, the default rollouts are online.RandomRollout.
	Exploration   float64
	Rollout       string
	RolloutPolicy bcpace.Policy `json:"-"`
	// StateK and StateAlpha are k > 0 and α in (0, 1) of next states. 0 means 4 and ¼.
	StateK, StateAlpha float64
	// ActionK and ActionAlpha are k > 0 and α in (0, 1) of the controls of a model some of
	// whose actions have a Box. 0 means 4 and ⅓.
	ActionK, ActionAlpha float64
}

// Name implements bcpace.Solver.
func (Solver) Name() string { return "pomcpow" }

// Solve implements bcpace.Solver. It only sets up: the policy of the solution is a
// planner (bcpace.PolicyAbilities.Plan), whose value nobody knows, and nothing is certified but the range of returns.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	return online.MonteCarlo{Budget: s.Budget, Exploration: s.Exploration, Rollout: s.Rollout, RolloutPolicy: s.RolloutPolicy}.Solve(ctx, s, m, c, s.check,
		func(m bcpace.Model, rollout bcpace.Policy) online.Search { return newSearch(m, s, rollout) })
}

// check returns an *bcpace.InputError for a widening that cannot be used.
func (s Solver) check(bcpace.Model) error {
	for _, x := range []struct {
		name string
		k, α float64
	}{{"State", s.StateK, s.StateAlpha}, {"Action", s.ActionK, s.ActionAlpha}} {
		if !(x.k >= 0) || math.IsInf(x.k, 1) {
			return bcpace.In("options").Bad(x.name+"K", x.k, "a number above 0, or 0 for the default")
		}
		if !(x.α >= 0 && x.α < 1) {
			return bcpace.In("options").Bad(x.name+"Alpha", x.α, "a power in (0, 1), or 0 for the default")
		}
	}
	return nil
}
