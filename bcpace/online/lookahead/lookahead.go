// Package lookahead is best-first search for the best action, with bounds of V* at every node:
// its decisions carry an interval that holds V*(s, b). The tree alternates between actions, of
// which the best one counts, and next states with their beliefs, of which the mean counts; its
// leaves have bounds that are admissible. What is expanded next is the leaf that contributes
// most to the gap at the root, by AEMS2 (Ross and Chaib-draa 2007, "AEMS: an anytime online
// search algorithm for approximate policy refinement in large POMDPs"):
//
//	γ^depth · P(leaf | root, actions of the largest upper bound) · (upper − lower)
//
// # The interval
//
// Let L ≤ V* ≤ U at the leaves. By the Bellman equation, R + γ·Σ P·L and R + γ·Σ P·U with the
// exact list of what follows bound Q* at the node above, and their maxima over the actions
// bound V*; so up to the root. The action with the largest lower bound is taken. Where L is at
// most its own backup, as for the values of a policy, that earns the bound: L of the
// decisions so far is at most what a step pays, and γ times L of the decisions to come, since
// what follows keeps its node in the tree.
//
// Sums are computed in float64; the interval is widened by what they may be rounded by.
package lookahead

import (
	"context"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online"
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
	// one, which are assumed to be fine enough.
	Bounds Bounds `json:"-"`
}

// Bounds are admissible bounds of V*. They must be safe for concurrent use.
type Bounds interface {
	// Lower returns a value that is earned from (s, b) on, at least, and the action that is
	// taken first for that.
	Lower(s []float64, b bcpace.Belief) (value float64, action int)
	// Upper returns a value that no policy exceeds from (s, b) on.
	Upper(s []float64, b bcpace.Belief) float64
}

// Name implements bcpace.Solver.
func (Solver) Name() string { return "lookahead" }

// Solve implements bcpace.Solver. It computes the bounds of the leaves, by which V* at the
// start is bracketed. The policy of the solution is a bcpace.Planner, whose decisions bracket
// V* where they are made. The error is a *bcpace.UnsupportedError for a model that does not
// list what follows, or whose tables are too large.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	if err := online.Check(m, c, s.Budget); err != nil {
		return nil, err
	}
	if !(s.Epsilon >= 0) || math.IsInf(s.Epsilon, 1) {
		return nil, &bcpace.InputError{Where: "options", What: "Epsilon", Got: fmt.Sprint(s.Epsilon), Want: "the length of an interval in reward units, or 0"}
	}
	spec := m.Spec()
	if err := bcpace.NeedActionList(spec, s.Name()); err != nil {
		return nil, err
	}
	e, ok := bcpace.KeepHorizon(m).(bcpace.Enumerator)
	if !ok {
		return nil, &bcpace.UnsupportedError{Model: spec.Name, Algorithm: s.Name(), Need: "the states that can follow, with their probabilities (Enumerator)"}
	}
	bounds := s.Bounds
	if bounds == nil {
		var latent bcpace.LatentValues
		var err error
		if bounds, latent, err = boundsOf(bcpace.WithControl(ctx, c), e); err != nil {
			return bcpace.Unfinished(ctx, err, e, s, bcpace.LatentSoFar(latent))
		}
	}
	p := online.New(e.Spec(), s.Budget, func() online.Search { return newTree(e, s, bounds) })
	found := online.Solution(s, e, p)
	var err error
	found.Certificate, err = certificate(e, bounds, s.Bounds != nil)
	found.Value = found.Certificate.Lower
	return found, err
}
