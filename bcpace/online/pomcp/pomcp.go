// Package pomcp is Monte-Carlo planning by UCT over histories, with the latent drawn at the
// root: POMCP (Silver and Veness 2010, "Monte-Carlo planning in large POMDPs") on a
// Bayes-adaptive MDP, where it is BAMCP (Guez, Silver and Dayan 2012, "Efficient
// Bayes-adaptive reinforcement learning using sample-based search").
//
// A simulation draws a latent φ from the belief b of the agent, walks down the tree with the
// model's Step under φ and chooses at each node the action of largest
//
//	Q(h,a) + c·√(ln N(h) / N(h,a))
//
// (UCB1: Auer, Cesa-Bianchi and Fischer 2002). Where it leaves the tree it adds a node and
// plays on with a rollout policy. Its return goes into the values Q(h,a) of the actions taken:
// not as one more term of their means, as in the papers, but so that the value of a history is
// that of its best action, as in MaxUCT (Keller and Helmert 2013; see tree.Tree.Backup). Means count
// what exploring costs, and converge far more slowly where a bad action costs much.
//
// The belief is updated only for the agent, exactly: root sampling needs no belief inside of
// the tree, as the latents of the simulations that pass a node are distributed as its
// posterior. With the number of simulations the action tends to the best one. The subtree of
// what was done and seen stays for the next decision.
//
// Of a model of unknown transitions (bcpace.UnknownTransitions) the policy learns them as it
// acts, from the beginning of an episode on: it is BAMCP on a prior of tables. An episode is
// then one long trial.
//
// What follows an action is a node of its own for each next state, so that states have to
// come again: where they are continuous, no history does, and package pomcpow is right.
package pomcp

import (
	"cmp"
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/pomcpow"
	"bayescpace/bcpace/online/tree"
	"bayescpace/bcpace/solverkit"
)

// Solver is POMCP as a solver. Every zero value is useful.
type Solver struct {
	// Budget is that of a decision. The default is online.DefaultSimulations simulations.
	Budget bcpace.Budget
	// Exploration is c of UCB1, in reward units. 0 means the range of the model's rewards;
	// Silver and Veness take that of the returns of trial runs. Where the transitions are unknown
	// it means a share, up to a fifth, of what there is to gain by what is known: the largest value of the
	// mean MDP less the least return. With many steps ahead the default may hold a plan to a bad
	// action that looked good at first, with any number of simulations, and more may waste them: on
	// 60 small random models with 1,000 simulations the loss fell from 1.0 % of the range of returns
	// to 0.3 % with √T times the default, T = min(Horizon, 1/(1 − γ)); on RockSample with 300
	// simulations the return fell from 11.8 ± 0.9 to 9.6 ± 1.0. Try both.
	Exploration float64
	// Rollout names the policy of the rollouts: online.BlindRollout, the default,
	// online.RandomRollout or online.ToldRollout. Where the transitions are unknown there are no
	// rollouts.
	Rollout string
	// RolloutPolicy plays the rollouts in place of the one that Rollout names. Its belief is
	// certain of the simulation's latent.
	RolloutPolicy bcpace.Policy `json:"-"`
}

// Name implements bcpace.Solver.
func (Solver) Name() string { return "pomcp" }

// Solve implements bcpace.Solver. It only sets up: the policy of the solution is a
// planner (bcpace.PolicyAbilities.Plan), whose value nobody knows, and nothing is certified but the range of returns.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	if u, ok := m.(bcpace.UnknownTransitions); ok {
		return s.learn(ctx, u, c)
	}
	return online.MonteCarlo{Budget: s.Budget, Exploration: s.Exploration, Rollout: s.Rollout, RolloutPolicy: s.RolloutPolicy}.Solve(ctx, s, m, c, s.Supports,
		func(m bcpace.Model, rollout bcpace.Policy) online.Search[bcpace.Belief] {
			return s.search(m, rollout)
		})
}

// Planner returns the planner for a hidden vector: that of package pomcpow with a node for every next state. The error is a
// *bcpace.InputError for a model or parameters that cannot be used.
func (s Solver) Planner(m *hidden.Model) (hidden.Planner, error) {
	return pomcpow.Solver{Budget: s.Budget, Exploration: s.Exploration, Rollout: s.Rollout, RolloutPolicy: s.RolloutPolicy, NoWidening: true}.Planner(m)
}

// search returns the search in m, with the policy of its rollouts.
func (s Solver) search(m bcpace.Model, rollout bcpace.Policy) *tree.Latents {
	return tree.NewLatents(m, s.Budget.Depth, s.Exploration, rollout, false)
}

// Supports returns a *bcpace.UnsupportedError for a model whose actions or states do not come
// again.
func (s Solver) Supports(m bcpace.Model) error {
	spec := m.Spec()
	if err := cmp.Or(solverkit.NeedDiscount(spec, s.Name()), solverkit.NeedActionList(spec, s.Name())); err != nil {
		return err
	}
	for _, a := range spec.Axes {
		if !a.Discrete && a.Labels == nil {
			return &bcpace.UnsupportedError{Model: spec.Name, Algorithm: s.Name(),
				Need: fmt.Sprintf("states that come again, and axis %q is continuous: pomcpow takes such models", a.Name)}
		}
	}
	return nil
}

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "searches at every decision by simulations under latents drawn from the belief, with UCB1 in the tree; it is BAMCP",
		Written: "POMCP",
		Cited:   "POMCP [@silver2010], which is BAMCP [@guez2012] on such a model, with the backups of MaxUCT [@keller2013]",
		SetUp:   "the values of the latent MDPs, for --rollout told" + solverkit.Long,
		Sooner:  "--rollout blind",
		Params:  []solverkit.Param{solverkit.Budget, solverkit.Depth, solverkit.Exploration, solverkit.Rollout},
	}
}

// Tabulates implements solverkit.Tabulator.
func (s Solver) Tabulates(m bcpace.Model) bool {
	return !solverkit.Valued(m) && s.Rollout == online.ToldRollout
}
