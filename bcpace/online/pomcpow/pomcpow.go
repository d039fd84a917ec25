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
//
// # A hidden vector
//
// For a hidden vector (Solver.Planner) it is POMCPOW as the paper has it, whose nodes hold the simulated hidden vectors, each
// weighted by how likely it makes what was observed. Where every observation is a node of its own, it is POMCP (Silver and
// Veness 2010): with Solver.NoWidening, and so without a LogDensity. A hidden vector comes to a node by what it made itself
// seen, and has weight 1.
//
// A node for what was seen before is a departure from the paper: there a hidden vector that makes it seen again goes to
// that node and is weighted by its likelihood too, which counts what was seen twice, and believes it too much. Here it goes to
// one of the nodes that are there, as likely as each was seen, which its weight then is right for.
//
// Where there are few states and hidden vectors, and the model has neither Bounds nor Rollout, a table of what
// policies earn that do not see the hidden vector stands in the place of rollouts, so that leaves have no luck in them.
package pomcpow

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/tree"
	"bayescpace/bcpace/online/vectors"
	"bayescpace/bcpace/solverkit"
)

// Solver is POMCPOW as a solver. Every zero value is useful.
type Solver struct {
	// Budget is that of a decision. The default is online.DefaultSimulations simulations.
	Budget bcpace.Budget
	// Exploration, Rollout and RolloutPolicy are those of pomcp.Solver; where an action has a
	// Box, the default rollouts are online.RandomRollout. For a hidden vector, rollouts are those of the model.
	Exploration   float64
	Rollout       string
	RolloutPolicy bcpace.Policy `json:"-"`
	// StateK and StateAlpha are k > 0 and α in (0, 1) of next states. 0 means 4 and ¼.
	StateK, StateAlpha float64
	// ActionK and ActionAlpha are k > 0 and α in (0, 1) of the controls of a model some of
	// whose actions have a Box. 0 means 4 and ⅓.
	ActionK, ActionAlpha float64
	// NoWidening has a node for every next state, for states that take few values.
	NoWidening bool `json:",omitempty"`
}

// Name implements bcpace.Solver.
func (Solver) Name() string { return "pomcpow" }

// Solve implements bcpace.Solver. It only sets up: the policy of the solution is a
// planner (bcpace.PolicyAbilities.Plan), whose value nobody knows, and nothing is certified but the range of returns.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	return s.shared().Solve(ctx, s, m, c, func(bcpace.Model) error { return s.check() },
		func(m bcpace.Model, rollout bcpace.Policy) online.Search[bcpace.Belief] {
			return s.search(m, rollout)
		})
}

// search returns the search in m, with the policy of its rollouts.
func (s Solver) search(m bcpace.Model, rollout bcpace.Policy) *tree.Latents {
	x := tree.NewLatents(m, s.Budget.Depth, s.Exploration, rollout, !s.NoWidening)
	x.States, x.Actions = s.widenings()
	return x
}

// Planner returns the planner for a hidden vector. The error is a *bcpace.InputError for a model or parameters that cannot be used.
func (s Solver) Planner(m *hidden.Model) (hidden.Planner, error) {
	if err := cmp.Or(s.shared().CheckVectors(), s.check()); err != nil {
		return nil, err
	}
	table, err := vectors.NewTable(m, s.Budget.Depth)
	if err != nil {
		return nil, err
	}
	states, actions := s.widenings()
	return online.NewVectors(m, s.Budget, func() online.Search[hidden.Belief] {
		x := &collecting{Histories: vectors.NewHistories(m, table, s.Budget.Depth, s.Exploration, actions)}
		x.Source, x.States, x.Redraws = x, states, !s.NoWidening && m.LogDensity != nil
		x.Every = !x.Redraws
		return x
	})
}

// shared are the parameters that pomcp has too.
func (s Solver) shared() online.MonteCarlo {
	return online.MonteCarlo{Budget: s.Budget, Exploration: s.Exploration, Rollout: s.Rollout, RolloutPolicy: s.RolloutPolicy}
}

// check returns an *bcpace.InputError for a widening that cannot be used.
func (s Solver) check() error {
	return cmp.Or(tree.Widening{K: s.StateK, Alpha: s.StateAlpha}.Check("State"), tree.Widening{K: s.ActionK, Alpha: s.ActionAlpha}.Check("Action"))
}

// widenings returns those of next states and of controls.
func (s Solver) widenings() (states, actions tree.Widening) {
	return tree.Widening{K: s.StateK, Alpha: s.StateAlpha}.Or(4, 1.0/4), tree.Widening{K: s.ActionK, Alpha: s.ActionAlpha}.Or(4, 1.0/3)
}

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "searches as pomcp does, also in continuous states and boxes of actions, which it widens as it goes",
		Written: "POMCPOW",
		Cited:   "POMCPOW [@sunberg2018]",
		SetUp:   "the values of the latent MDPs, for --rollout told" + solverkit.Long,
		Sooner:  "--rollout random",
		Params: []solverkit.Param{
			solverkit.Budget, solverkit.Depth, solverkit.Exploration, solverkit.Rollout,
			{Key: "state-k", Field: "StateK", Arg: "K", Doc: "after n visits an action has K·n^A next states at most (default 4)", Want: "K > 0"},
			{Key: "state-alpha", Field: "StateAlpha", Arg: "A", Doc: "A of --state-k, in (0, 1) (default 0.25)", Want: "A in (0, 1)"},
			{Key: "action-k", Field: "ActionK", Arg: "K", Doc: "after n visits a state has K·n^A actions at most, where some have a box (default 4)", Want: "K > 0"},
			{Key: "action-alpha", Field: "ActionAlpha", Arg: "A", Doc: "A of --action-k, in (0, 1) (default 0.33)", Want: "A in (0, 1)"},
		},
	}
}

// Tabulates implements solverkit.Tabulator.
func (s Solver) Tabulates(m bcpace.Model) bool {
	return !solverkit.Valued(m) && s.Rollout == online.ToldRollout
}

// mostLog is the log of the largest weight, of which many may be added up.
const mostLog = 600

// collecting is the search for a hidden vector, whose nodes collect particles. It is a tree.StateSource.
type collecting struct {
	*vectors.Histories
	particles []particles // by node; those of the root are not used
	spare     []particles // of trees before
	ended     bool        // the episode has, by the last step
}

// particles are hidden vectors with cumulated weights, each divided by exp(unit).
type particles struct {
	x, sum []float64
	unit   float64
}

// Root implements online.Search.
func (t *collecting) Root(s []float64, b hidden.Belief) {
	t.Histories.Root(s, b)
	t.spare, t.particles = append(t.spare, t.particles...), t.particles[:0]
	t.add()
}

// add makes room for the particles of one more node.
func (t *collecting) add() {
	var p particles
	if n := len(t.spare); n > 0 {
		p, t.spare = t.spare[n-1], t.spare[:n-1]
		p.x, p.sum = p.x[:0], p.sum[:0]
	}
	t.particles = append(t.particles, p)
}

// Begin implements tree.StateSource.
func (t *collecting) Begin(_ context.Context, rng *rand.Rand) error {
	t.Belief.Draw(t.X, rng)
	t.Pass(0, t.Depth, rng)
	return nil
}

// Step implements tree.StateSource.
func (t *collecting) Step(node, edge int32, _ bool, rng *rand.Rand) (next []float64, reward float64, done bool) {
	out := t.Move(t.At(node), t.Edges[edge].Action, rng)
	t.ended = out.Done
	return t.Key(t.Next, out.Done), out.Reward, out.Done
}

// Arrive implements tree.StateSource.
func (t *collecting) Arrive(edge, to int32, left int, _, added bool, rng *rand.Rand) (done bool, err error) {
	if added {
		t.add()
	}
	if done = t.Nodes[to].Done; !done && !t.ended {
		t.weigh(edge, to)
	}
	if !done && !added && left > 0 {
		t.draw(to, rng)
		t.Pass(to, left, rng)
	}
	return done, nil
}

// weigh adds NextX, which X became by an edge, to the node that it leads to: weighted by its likelihood there, unless what it made seen
// has led there.
func (t *collecting) weigh(edge, to int32) {
	p, density := &t.particles[to], 0.0
	if t.Redraws {
		e := &t.Edges[edge]
		density = t.Model.LogDensity(t.At(e.Node), t.X, e.Action, t.At(to), t.NextX)
	}
	n := len(p.sum)
	if n == 0 {
		p.unit = density
	}
	weight := math.Exp(min(density-p.unit, mostLog))
	if !(weight > 0) {
		return
	}
	p.x = append(p.x, t.NextX...)
	if n > 0 {
		weight += p.sum[n-1]
	}
	p.sum = append(p.sum, weight)
}

// draw sets X to a hidden vector of a node, or to NextX where it has none.
func (t *collecting) draw(node int32, rng *rand.Rand) {
	p := &t.particles[node]
	if len(p.sum) == 0 {
		copy(t.X, t.NextX)
		return
	}
	t.Pick(p.x, p.sum, rng)
}

// Leaf implements tree.StateSource.
func (t *collecting) Leaf(ctx context.Context, _ int32, left int, rng *rand.Rand) (float64, error) {
	return t.Rollout(ctx, t.Next, t.NextX, left, rng)
}
