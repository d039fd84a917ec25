// Package sarsop solves finite POMDPs with mixed observability to a gap between
// proven bounds, by point-based value iteration over the beliefs that good
// policies reach: SARSOP (Kurniawati, Hsu and Lee 2008, "SARSOP: Efficient
// point-based POMDP planning by approximating optimally reachable belief
// spaces"), for factored states as in Ong, Png, Hsu and Lee (2010, "Planning
// under uncertainty for robotic tasks with mixed observability").
//
// # Bounds
//
// The lower bound at (x, b) is max_α α·b over α-vectors of x. It starts from the
// blind policies, which repeat one action, and every backup of vectors is the
// value of a plan; the policy holds the vectors of that plan and earns the bound. The upper bound starts from the fast informed bound
// (Hauskrecht 2000), or from the MDP where that is no tighter, and is a sawtooth
// over the beliefs of the tree; see points.sawtooth for its proof. Where y moves unseen, a belief that is
// met for the first time has the tighter informed bound (Krale, Koops, Junges, Simão and
// Jansen 2025, "Tighter Value-Function Approximations for POMDPs"), unless its tables are too large. Value iteration
// for both starts is stopped early with the distance to its fixed point added. All
// is computed in float64. Beliefs whose probabilities agree to 1e-12 are one. The upper
// bound makes up for both (see tree.bounds), the lower one holds up to rounding.
//
// # Search
//
// A trial follows the greedy action of the upper bound and the outcome with the
// largest excess gap. What differs from the paper: targets are fractions of the
// gap at the start, wide and narrow in turn, in the place of a predicted value;
// a trial at most doubles the beliefs, or adds some dozens where they are few;
// upper bounds of actions are computed again only while one attains the maximum;
// beliefs that are reached twice are one node; vectors are kept where they are
// best at some node (δ = 0); all nodes have their lower bounds backed up each
// time that their number has grown by a quarter; and where the hidden part has two values, the
// convex hull of the upper bounds at an x is one too.
//
// Beside the trials, and for a part of their work which is larger while it pays, finite-state controllers climb by exact policy gradient: first
// memoryless policies, which draw an action by the last observation, then such with two and three nodes of memory. Whenever
// one earns more than is known, its vectors join the others (see pointbased.VectorSet.Draw). Where rewards are far off, or
// lie behind much that is to be waited for, trials take long to find as good a policy.
//
// # Without a discount
//
// A discount of 1 without a horizon (bcpace.Spec.Goal) stands for totals of rewards up to the end of an episode: the
// expected cost of a stochastic shortest path, or the probability that something is reached. An end is a state, or a
// set of states, that is never left and pays nothing. The values of a model are finite, and it is solved, in two
// cases, for the states that the start leads to:
//
//   - no reward is below 0, and none above 0 can be earned again and again by an agent that sees the state;
//   - from every state an end can be reached, or a state where an agent that sees no more than is observed waits for nothing; and
//     whatever an agent that sees the state can do again and again pays nothing, or costs more in the long run than it pays now and then.
//
// Other models are refused with a state and an action. The bounds begin with the value of the MDP and with the policy
// that draws its actions at random, and hold as with a discount: backups of the upper bound are rounded up, and those
// of the lower one charge so little for a step that only a policy earns it that ends, or waits where nothing is paid (both in package pointbased).
// Beliefs that an agent can go round for nothing are worth the same, and have one upper bound (see
// tree.closeUpper). Nothing guarantees that the bounds come together, which is undecidable (Madani, Hanks and Condon
// 2003).
//
// # Discounts near 1
//
// There, and without a discount, trials also differ (see tree.deepTrial), and all nodes have their bounds made anew
// together from time to time, as the values of finite processes.
package sarsop

import (
	"cmp"
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/pointbased"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// Solver is SARSOP as a solver, of POMDPs and of Finite models. It reads all of its
// parameters; the zero value is useful with a context that ends.
type Solver struct {
	// Epsilon is the distance of the bounds at the start at which the search ends, in
	// reward units. 0 means that only limits, the context or rounding end it; package
	// solvers, and so the command, has solvers.FiniteGap where none is given.
	Epsilon float64
	// MaxTrials and MaxBeliefs end the search after a trial that reaches them.
	// 0 means no such limit. Memory grows with the beliefs: at a gigabyte of them and of vectors, without those of no use, the search
	// ends with stop.Memory (the environment variable GOMEMLIMIT sets another limit, of twice as much).
	MaxTrials, MaxBeliefs int
	// Unrevealed has the policy of a POMDP act on the POMDP's own states. Otherwise what
	// its observations reveal becomes visible where that makes it no larger: beliefs are
	// then over fewer hidden values. A Finite model has nothing to reveal.
	Unrevealed bool
}

// Name implements bcpace.Solver.
func (Solver) Name() string { return "sarsop" }

// Solve implements bcpace.Solver. The value is the lower bound, which the policy earns.
// The error is a *bcpace.UnsupportedError for a model without numbered states, or with a
// Spec.Goal and values that are not finite.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	return s.method().Solve(ctx, m, c)
}

// SolvePOMDP implements pomdp.Solver. If ctx ends before it is known what observations
// reveal, the policy acts on the POMDP's own states.
func (s Solver) SolvePOMDP(ctx context.Context, m *pomdp.Model, c bcpace.Control) (*pomdp.Solution, error) {
	return s.method().SolvePOMDP(ctx, m, c)
}

// Supports returns a *bcpace.UnsupportedError for a model without numbered states.
func (s Solver) Supports(m bcpace.Model) error { return s.method().Supports(m) }

func (s Solver) method() pointbased.Method {
	return pointbased.Method{Solver: s, Title: "SARSOP", Goals: true, Unrevealed: s.Unrevealed, Search: s.search}
}

// check tells what is wrong with s.
func (s Solver) check() error {
	need := bcpace.In("options").Need
	return cmp.Or(
		need(s.Epsilon >= 0 && !math.IsInf(s.Epsilon, 1), "Epsilon", s.Epsilon, "a gap above 0 in reward units, or 0 for none"),
		need(s.MaxTrials >= 0, "MaxTrials", s.MaxTrials, "a number of trials, or 0 for no limit"),
		need(s.MaxBeliefs >= 0, "MaxBeliefs", s.MaxBeliefs, "a number of beliefs, or 0 for no limit"))
}

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:         "brackets the optimal value of any POMDP and of finite models, over the beliefs that good policies reach",
		Written:     "SARSOP",
		Cited:       "SARSOP [@kurniawati2008] for mixed observability [@ong2010]",
		SetUp:       "its first bounds" + solverkit.Long,
		SavesPolicy: true,
		Params: []solverkit.Param{
			{Key: solverkit.MaxSamples.Key, Field: "MaxBeliefs", Arg: "N", Doc: "most beliefs; 0 for no limit"},
			{Key: solverkit.MaxEpisodes.Key, Field: "MaxTrials", Arg: "N", Doc: "most trials; 0 for no limit"},
			solverkit.Unreveal, solverkit.Epsilon,
		},
	}
}

// TimeShares implements solverkit.Scheduled.
func (Solver) TimeShares(bcpace.Model) []solverkit.TimeShare { return pointbased.TimeShares("trials") }

// idle is tree.idle, unless the problem is deep.
const idle = 20

// search is SolvePOMDP for a model that stays as it is. All that it finds depends on the
// model and the parameters alone, unless ctx ends it. The trace has a line for the start,
// then one whenever the gap fell by 2 %, then the last. The error is that of ctx where it
// ends before the tables of a large model have been looked through, a *bcpace.InputError for
// parameters or tables that cannot be used, and a *bcpace.UnsupportedError where
// Model.CheckStationary has one.
func (s Solver) search(ctx context.Context, m *pomdp.Model, c bcpace.Control) (*pomdp.Solution, error) {
	if err := cmp.Or(s.check(), c.Check()); err != nil {
		return nil, err
	}
	workers := c.Processors()
	set, err := pointbased.New(ctx, "SARSOP", m, workers, true)
	if err != nil {
		return nil, err
	}
	t := newTree(set, workers)
	t.pool.start(workers)
	defer t.pool.stop()
	asked := s
	s.Epsilon = solverkit.GapFor(m.Spec(), s.Epsilon)
	found := s.trials(ctx, t, m, c)
	found.Solver = asked
	return found, nil
}

// trials searches until something ends that.
func (s Solver) trials(ctx context.Context, t *tree, m *pomdp.Model, c bcpace.Control) *pomdp.Solution {
	searching, cancel := runs.LeaveTime(ctx, pointbased.EvaluateTime)
	defer cancel()
	t.ctx = searching
	t.first = begin(t.Tighten(searching, len(t.work)), t.rebase)
	defer t.first.stop()
	t.draws = begin(t.Draw(searching, len(t.work), t.bounds), t.raiseRoots)
	defer t.draws.stop()
	t.grids = begin(t.triangulate(searching), t.useGrid)
	defer t.grids.stop()
	t.first.do(earlyWork)
	t.draws.do(drawWork)

	found := &pomdp.Solution{Solver: s, Model: m}
	lower, upper := t.bounds()
	now := bcpace.Progress{Samples: len(t.nodes), Value: upper, Gap: upper - lower, Epsilon: s.Epsilon}
	found.Trace = append(found.Trace, now)
	report := func() {
		lower, upper = t.bounds()
		now.Value = min(now.Value, upper) // tolerances may grow
		now.Samples, now.Gap = len(t.nodes), now.Value-lower
		if c.Progress != nil {
			c.Progress(now)
		}
	}
	report()
	t.first.report, t.draws.report, t.grids.report = report, report, report
	var path []*node
	quiet := 0
	for {
		switch {
		case now.Gap <= s.Epsilon:
			found.Stop = stop.Certified
		case searching.Err() != nil:
			found.Stop = pointbased.Ended(ctx)
		case s.MaxTrials > 0 && now.Episodes >= s.MaxTrials:
			found.Stop = stop.Episodes
		case s.MaxBeliefs > 0 && len(t.nodes) >= s.MaxBeliefs:
			found.Stop = stop.Samples
		case t.full:
			found.Stop = stop.Memory
		case quiet >= t.idle() && t.first.over && t.draws.over && t.grids.over:
			found.Stop = stop.Rounding
		}
		if found.Stop != "" {
			break
		}
		before := t.improved
		path = t.turn(searching, path, now)
		quiet++
		if quiet >= t.idle() {
			t.tighten(earlyWork)
		}
		if t.improved > before || quiet >= t.idle() && t.deepen(path) {
			quiet = 0
		}
		now.Episodes++
		report()
		if now.Gap <= 0.98*found.Trace[len(found.Trace)-1].Gap {
			found.Trace = append(found.Trace, now)
		}
	}
	if found.Trace[len(found.Trace)-1].Episodes < now.Episodes {
		found.Trace = append(found.Trace, now)
	}
	found.Value, found.Certificate = lower, pointbased.Proved(lower, now.Value)
	found.Policy = t.policy(ctx)
	return found
}

// idle returns the number of trials without any improvement after which rounding is all that is left.
func (t *tree) idle() int {
	if t.deep {
		return 10*idle + 4*len(t.nodes)
	}
	return idle
}

// turn makes a trial, and then backs up what has become many since the last time.
func (t *tree) turn(ctx context.Context, path []*node, now bcpace.Progress) []*node {
	trial := t.trial
	if t.deep {
		trial = t.deepTrial
	}
	path = trial(ctx, path, now.Gap*widths[now.Episodes%len(widths)])
	if len(t.nodes) > t.swept+t.swept/4+100 && ctx.Err() == nil {
		t.trim()
		t.sweep(ctx, now.Gap*widths[len(widths)-1])
		t.swept = len(t.nodes)
		t.bound()
	}
	if t.deep {
		t.together(ctx, now.Gap)
	}
	return path
}

// deepen lets trials go twice as deep if the last one was cut, and reports whether it was.
func (t *tree) deepen(path []*node) bool {
	if len(path) < t.depth || t.depth == lastDepth {
		return false
	}
	t.depth = min(2*t.depth, lastDepth)
	return true
}

// widths are the target gaps of successive trials, as fractions of the gap at the
// initial belief. Wide targets end trials soon, which lowers the upper bound of
// many beliefs near the start; narrow ones go deep, where the lower bound learns
// of rewards that lie far off.
var widths = [...]float64{1. / 2, 1. / 32}

const (
	// The depth of a trial is firstDepth at most, and grows where trials that are cut there improve nothing: γ^1000 is beyond
	// any target unless γ is nearly 1.
	firstDepth = 1000
	lastDepth  = 1 << 20
	// A trial at most doubles the beliefs, or adds this many. In a large model the first ones would take seconds
	// otherwise, and nothing that they find raises the lower bound before they end.
	fewBeliefs = 64
)

// trial goes from the initial belief along the action with the highest upper
// bound and the outcome that adds most to the gap beyond its target (the
// heuristics of Smith and Simmons 2004), until the target of the depth, γ^-t
// times that of the start, is met, or it has grown too long. Then the beliefs of the path are backed up
// in reverse.
func (t *tree) trial(ctx context.Context, path []*node, target float64) []*node {
	most := len(t.nodes) + max(len(t.nodes), fewBeliefs)
	path = t.descend(ctx, path, target, func(n *node, a int, target float64) *node {
		t.updateChildren(n, a)
		t.refreshLower(t.work[0], n, a)
		best, far := -1, 0.0
		for i := range n.acts[a].children {
			k := &n.acts[a].children[i]
			if over := k.P * (k.upper - k.Lower - target); over > far {
				best, far = i, over
			}
		}
		if best < 0 {
			return nil
		}
		if n = t.childNode(n, a, best); len(t.nodes) >= most {
			return nil
		}
		return n
	})
	t.backupPath(ctx, path)
	return path
}

// descend goes down from the widest root until a target is met, which choose is given for the depth behind a node: it
// returns the next node, given the action with the highest upper bound, or nil where the trial ends.
func (t *tree) descend(ctx context.Context, path []*node, target float64, choose func(n *node, best int, target float64) *node) []*node {
	path = path[:0]
	for n := t.widest(); n != nil && ctx.Err() == nil && len(path) < t.depth; {
		t.tighten(t.worked())
		t.expand(n)
		path = append(path, n)
		best := t.backupUpper(n)
		t.Raise(&n.BeliefPoint)
		if n.upper-n.Lower <= target {
			break
		}
		target /= t.Discount
		n = choose(n, best, target)
	}
	return path
}

// backupPath backs up the beliefs of a path in reverse.
func (t *tree) backupPath(ctx context.Context, path []*node) {
	for i := len(path) - 1; i >= 0 && ctx.Err() == nil; i-- {
		t.backupUpper(path[i])
		t.backupLower(path[i])
	}
}

// widest returns the root that adds most to the gap.
func (t *tree) widest() *node {
	var n *node
	most := math.Inf(-1)
	for _, r := range t.roots {
		if gap := r.p * (r.upper - r.Lower); gap > most {
			n, most = r.node, gap
		}
	}
	return n
}

// sweep backs up the lower bound at every node, the youngest first: vectors that
// trials have found since a node was last backed up reach it at once.
func (t *tree) sweep(ctx context.Context, least float64) {
	for i := len(t.nodes) - 1; i >= 0 && ctx.Err() == nil; i-- {
		t.tighten(t.worked())
		if n := t.nodes[i]; n.acts != nil && n.upper-n.Lower > least {
			t.backupLower(n)
		}
	}
}
