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
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/pointbased"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/solverkit"
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
	bad := bcpace.In("options").Bad
	switch {
	case !(s.Epsilon >= 0) || math.IsInf(s.Epsilon, 1):
		return bad("Epsilon", s.Epsilon, "a gap above 0 in reward units, or 0 for none")
	case s.MaxTrials < 0:
		return bad("MaxTrials", s.MaxTrials, "a number of trials, or 0 for no limit")
	case s.MaxBeliefs < 0:
		return bad("MaxBeliefs", s.MaxBeliefs, "a number of beliefs, or 0 for no limit")
	}
	return nil
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
