package lookahead

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

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
