// Package lookahead is best-first search for the best action, with bounds of V* at every node:
// its decisions carry an interval that holds V*(s, b). The tree of Solver has all that follows, as
// the model lists it; that of another solver, such as adaops, has what its Source makes
// (BoundedSearch).
//
// The tree alternates between actions, of which the best one counts, and next states with their
// beliefs, of which the mean counts; its leaves have bounds that are admissible. What is
// expanded next is the leaf that contributes most to the gap at the root, by AEMS2 (Ross and
// Chaib-draa 2007, "AEMS: an anytime online search algorithm for approximate policy refinement
// in large POMDPs"):
//
//	γ^depth · P(leaf | root, actions of the largest upper bound) · (upper − lower)
//
// # The interval
//
// Let L ≤ V* ≤ U at the leaves. By the Bellman equation, R + γ·Σ P·L and R + γ·Σ P·U with the
// exact list of what follows bound Q* at the node above, and their maxima over the actions
// bound V*; so up to the root. A Source may have one child stand for several; then it says what
// is to be added to the upper bound, see Children.
//
// Where states are continuous, the list stands for a density, so that the interval of a decision
// rests on it. At the leaves and at the start, package proved bounds V* from above without
// a list, for a model that states its smoothness (bcpace.Smoothness).
//
// Sums are computed in float64; the interval is widened by what they may be rounded by.
//
// The action with the largest lower bound is taken. Where the bound L at the leaves is at most
// its own backup, as for the values of a policy, that earns the bound: L of the decisions so
// far is at most what a step pays, and γ times L of the decisions to come, since what follows
// keeps its node in the tree.
package lookahead

import (
	"context"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

// Solver is the search as a solver. Every zero value is useful. Simulations of its Budget are
// leaves that are expanded.
type Solver struct {
	// Budget is that of a decision. The default is online.DefaultSimulations expansions. Depth
	// is the number of steps after which the tree ends; 0 is no limit.
	Budget bcpace.Budget
	// Epsilon ends a decision where its interval is no longer than that, in reward units. 0
	// leaves that to the budget. A decision also ends where one action is proved best.
	Epsilon float64
	// Bounds are those at the leaves, such as an earlier run's: see Of. nil means the fast
	// informed bound and the blind policies of a Finite model, or those by grids of another
	// one, which are assumed to be fine enough, with the upper bound of package proved for a model
	// that states its smoothness.
	Bounds Bounds `json:"-"`
}

// Name implements bcpace.Solver.
func (Solver) Name() string { return "lookahead" }

// Solve implements bcpace.Solver. It computes the bounds of the leaves, by which V* at the
// start is bracketed; the upper one is proved for a Finite model and for one that package proved
// takes. The policy of the solution is a planner (bcpace.PolicyAbilities.Plan), whose decisions bracket
// V* where they are made. The error is a *bcpace.UnsupportedError for a model that does not
// list what follows, or whose tables are too large.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	x := BoundedSearch{Budget: s.Budget, Epsilon: s.Epsilon, Bounds: s.Bounds}
	if err := x.Check(s, m, c); err != nil {
		return nil, err
	}
	e, ok := bcpace.KeepHorizon(m).(bcpace.Enumerator)
	if !ok {
		return nil, solverkit.NeedsList(m, s.Name())
	}
	return x.Solve(ctx, s, e, c, true, func(Bounds) Source { return Listed(e) })
}

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "searches at every decision with bounds at the leaves, so that each decision brackets the optimal value where it is made",
		Written: "lookahead",
		Cited:   "best-first search between bounds at every decision, AEMS2 [@ross2007]",
		SetUp:   "its first bounds" + solverkit.Long,
		Params:  []solverkit.Param{solverkit.Budget, solverkit.Depth, solverkit.Epsilon},
	}
}

// Tabulates implements solverkit.Tabulator.
func (s Solver) Tabulates(m bcpace.Model) bool { return !solverkit.Bounded(m) && s.Bounds == nil }
