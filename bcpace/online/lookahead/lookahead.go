// Package lookahead is best-first search for the best action, with bounds of V* at every node:
// its decisions carry an interval that holds V*(s, b). The tree has all that follows, as the
// model lists it; package bracket says in which order it grows, by AEMS2 (Ross and Chaib-draa
// 2007), and why the interval holds.
//
// The action with the largest lower bound is taken. Where the bound L at the leaves is at most
// its own backup, as for the values of a policy, that earns the bound: L of the decisions so
// far is at most what a step pays, and γ times L of the decisions to come, since what follows
// keeps its node in the tree.
package lookahead

import (
	"context"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online/bracket"
	"bayescpace/bcpace/runs"
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

// Bounds are admissible bounds of V*. They must be safe for concurrent use.
type Bounds = bracket.Bounds

// Of returns the bounds of a run of certified.Solver on a Finite model, as far as they have
// come, for a Solver on the same model. The error is a *bcpace.UnsupportedError for another
// run.
func Of(r *runs.Run) (Bounds, error) { return bracket.Of(r) }

// Name implements bcpace.Solver.
func (Solver) Name() string { return "lookahead" }

// Solve implements bcpace.Solver. It computes the bounds of the leaves, by which V* at the
// start is bracketed; the upper one is proved for a Finite model and for one that package proved
// takes. The policy of the solution is a planner (bcpace.PolicyAbilities.Plan), whose decisions bracket
// V* where they are made. The error is a *bcpace.UnsupportedError for a model that does not
// list what follows, or whose tables are too large.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	x := bracket.BoundedSearch{Budget: s.Budget, Epsilon: s.Epsilon, Bounds: s.Bounds}
	if err := x.Check(s, m, c); err != nil {
		return nil, err
	}
	e, ok := bcpace.KeepHorizon(m).(bcpace.Enumerator)
	if !ok {
		return nil, solverkit.NeedsList(m, s.Name())
	}
	return x.Solve(ctx, s, e, c, true, func(bracket.Bounds) bracket.Source { return bracket.Listed(e) })
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
