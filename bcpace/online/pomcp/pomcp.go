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
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/tabular"
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

// learning is the tree of POMCP where the transitions are unknown: BAMCP as Guez, Silver and
// Dayan (2012) have it, with these differences. A simulation does not draw the rows that it
// needs, but each next state from what is known and what the simulation itself has seen, which
// has the same distribution (see tabular.Rows). And where it leaves the tree, it takes the value
// of the mean MDP, after what it has seen, in the place of a rollout (see leaf): with ε-greedy rollouts in the mean MDP (ε = ½), a
// simulation in a grid of 25 cells took eight times as long, and a trial earned 48 to 57 in the
// place of 64 to 69.
//
// Values are means of returns, as in the paper. The value of the best action, which the tree
// has for latents of a list, is too high where little is known: most next states were never
// seen, each is a node of its own, and the best of many bad estimates is too good. Nor is the tree
// kept from step to step: what its leaves are worth was computed with less knowledge. That is
// seven times as fast in Double-loop, and earned 32 for 29 in a grid of 100 cells, with 1,000
// simulations.
type learning struct {
	*tree.Tree
	spec        bcpace.Spec
	model       bcpace.Finite
	know        *tabular.Rows      // of what has happened
	values      *tabular.Iteration // of its mean MDP
	stale       bool               // the values are those of an earlier posterior
	revised     tabular.Revision   // of the values, by what a simulation has seen
	passed      []int              // states of the simulation, in order
	exploration float64            // c of UCB1, 0 for the default
	gain        float64            // see explores
	depth       int
	path        tree.Descent
	at          []float64 // state of a simulation
	state       []float64 // of the agent
	belief      bcpace.Belief
}

// learn is Solve for unknown transitions.
func (s Solver) learn(ctx context.Context, m bcpace.UnknownTransitions, c bcpace.Control) (*bcpace.Solution, error) {
	none := func(what string, ok bool, got string) error {
		return bcpace.In("options").Need(ok, what, got, "none where the transitions are unknown: what follows a simulation is valued without rollouts")
	}
	if err := cmp.Or(
		none("Rollout", s.Rollout == "", strconv.Quote(s.Rollout)),
		none("RolloutPolicy", s.RolloutPolicy == nil, "a policy"),
		online.Check(s, m, c, s.Budget), online.CheckExploration(s.Exploration), tabular.Check(m, s.Name())); err != nil {
		return nil, err
	}
	know, err := tabular.NewRows(ctx, m)
	if err != nil {
		return nil, err
	}
	return online.Solution(s, m, online.New(m.Spec(), s.Budget, func() online.Search[bcpace.Belief] { return newLearning(m, s, know.Fork()) })), nil
}

// valuesWithin is the error of the values of the mean MDP, as a share of the range of rewards.
const valuesWithin = 1e-3

// The default of c of UCB1 is a share of what there is to gain: how much the largest value of the mean
// MDP exceeds the least return. A share of the range of rewards will not do, as rewards of 3 that are
// paid every fifty steps differ by less than rewards of 2 every fifth: with 1,000 simulations, a quarter
// of that range earned 343 in Double-loop under the sparse prior, where three quarters earned 390, and
// half of it did worse than a quarter in the maze. A share of 0.2 of the gain earned 375 there in ten trials, 389
// under the flat prior, and 274 in the place of 165 in the first 6,000 steps of the maze. It grows with the simulations
// that a decision has had, which earned 381 and 390: 100 of them are too few to explore as much, and earned 371 under the flat
// prior with a share of 0.2, and 379 with one of 0.08. So small a c may leave an action alone
// whose first returns were bad; see first.
const (
	leastShare  = 0.08
	mostShare   = 0.2
	sharePerOne = 0.008 // times the square root of the number of simulations
)

// explores returns c of UCB1 for the next simulation.
func (l *learning) explores() float64 {
	if l.exploration > 0 {
		return l.exploration
	}
	return l.gain * min(max(leastShare, sharePerOne*math.Sqrt(float64(l.Nodes[0].Visits))), mostShare)
}

func newLearning(m bcpace.Finite, s Solver, know *tabular.Rows) *learning {
	spec := m.Spec()
	x := &learning{Tree: tree.New(len(spec.Axes), 0), spec: spec, model: m, know: know, values: tabular.NewIteration(know, valuesWithin*(spec.RewardMax-spec.RewardMin)), stale: true,
		exploration: s.Exploration, depth: s.Budget.Depth, at: make([]float64, len(spec.Axes)), state: make([]float64, len(spec.Axes))}
	x.depth = cmp.Or(x.depth, solverkit.SearchDepth(spec))
	return x
}

// Root implements online.Search.
func (l *learning) Root(s []float64, b bcpace.Belief) {
	l.Reset(s)
	copy(l.state, s)
	l.belief = append(l.belief[:0], b...)
}

// Forget implements online.Search.
func (l *learning) Forget() {
	l.Tree.Forget()
	l.know.Undo(0)
	l.values.Reset()
	l.stale = true
}

// Advance implements online.Search.
func (l *learning) Advance(action int, next []float64) {
	if err := l.know.Observe(l.model.StateIndex(l.state), action, l.model.StateIndex(next)); err == nil {
		l.stale = true
	} // what the prior rules out teaches nothing
}

// Top implements online.Shower. What is learned within the tree is no belief over latents, which
// is that of the agent everywhere.
func (l *learning) Top(most int) ([]bcpace.SearchNode, error) {
	nodes := l.Show(most)
	for i := range nodes {
		nodes[i].Belief = slices.Clone(l.belief)
	}
	return nodes, nil
}

// Decide implements online.Search.
func (l *learning) Decide(d *bcpace.Decision) { l.Report(d, l.spec) }

// Simulate implements online.Search.
func (l *learning) Simulate(ctx context.Context, rng *rand.Rand) (more bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if l.stale {
		if err := l.values.Run(ctx, l.know.Backup, tabular.DefaultSweeps); err != nil {
			return false, err
		}
		l.revised.Begin(l.values)
		l.gain = slices.Max(l.values.V) - l.spec.RewardMin/(1-l.spec.Discount)
		l.stale = false
	}
	c := l.explores()
	known := l.know.Observed()
	defer l.know.Undo(known)
	l.path.Clear()
	l.passed = l.passed[:0]
	s := l.model.StateIndex(l.state)
	for node := int32(0); ; {
		if l.Nodes[node].First == tree.None {
			l.AddEdges(node, len(l.spec.Actions))
		}
		e := l.Choose(node, c, rng)
		if node == 0 {
			e = l.first(e)
		}
		action := l.Edges[e].Action
		l.passed = append(l.passed, s)
		next, done := l.know.Predict(s, action, rng)
		l.path.Add(e, l.know.Reward(s, action, next))
		if err := l.know.Observe(s, action, next); err != nil {
			return false, err
		}
		l.model.StateAt(l.at, next)
		to, added := l.Follow(e, l.at, done)
		if added || done || len(l.path.Edges) >= l.depth {
			earned := 0.0
			if !done {
				if earned, err = l.leaf(next, rng); err != nil {
					return false, err
				}
			}
			l.BackupMeans(&l.path, to, earned, l.spec.Discount)
			return true, nil
		}
		node, s = to, next
	}
}

// revisions bounds the sweeps over the states of a simulation, which end earlier where values
// change by no more than revisedWithin, a share of the range of rewards.
const (
	revisions     = 10
	revisedWithin = 5e-3
)

// leaf returns what a simulation is worth that leaves the tree at s: the value of s in the mean
// MDP after all that the simulation has seen, as far as backups along its own states tell.
// Without what it has seen, a discovery would be worth nothing unless the tree itself goes on to
// use it. If the best action at s was never tried, the simulation tries it first: what it finds
// is worth more on average than the mean MDP says, in which nothing is found.
func (l *learning) leaf(s int, rng *rand.Rand) (float64, error) {
	l.passed = append(l.passed, s)
	earned, discount := 0.0, 1.0
	if action, _ := l.revised.Best(s, l.know.Backup); !l.know.Tried(s, action) {
		next, done := l.know.Predict(s, action, rng)
		earned, discount = l.know.Reward(s, action, next), l.spec.Discount
		if err := l.know.Observe(s, action, next); err != nil || done {
			return earned, err
		}
		l.passed = append(l.passed, next)
		s = next
	}
	l.revised.Run(l.passed, l.know.Backup, revisions, revisedWithin*(l.spec.RewardMax-l.spec.RewardMin))
	earned += discount * l.revised.V[s]
	l.revised.Undo(l.passed)
	return earned, nil
}

// first returns the edge that a simulation takes at the root: an action that has fewer than √n of
// the n visits, shared out among all actions, or else e. Without that, the best action was left
// with 3 of 20,000 simulations in some random tables.
func (l *learning) first(e int32) int32 {
	n, actions := float64(l.Nodes[0].Visits), float64(len(l.spec.Actions))
	for i := l.Nodes[0].First; i != tree.None; i = l.Edges[i].Next {
		if v := float64(l.Edges[i].Visits) * actions; v > 0 && v*v < n {
			return i
		}
	}
	return e
}
