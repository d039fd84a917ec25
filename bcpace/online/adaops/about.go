package adaops

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "searches as lookahead does, with one node for all that follows an action within a distance, and by draws where a model lists nothing",
		Written: "AdaOPS",
		Cited:   "AdaOPS, packing-guided online search [@wu2021]",
		SetUp:   "its first bounds" + solverkit.Long,
		Params: []solverkit.Param{
			solverkit.Budget, solverkit.Depth,
			{Key: "delta", Field: "Delta", Arg: "R", Doc: "distance within which what follows an action shares a node, in L1 where only beliefs differ (default 0.1); 0 for none that share", Zero: "NoPacking"},
			{Key: "width", Field: "Width", Arg: "N", Doc: "next states that are drawn for each action (default all, where the model lists them, and 30 elsewhere)", Want: "1 draw or more"},
			solverkit.Epsilon,
		},
	}
}

// Tabulates implements solverkit.Tabulator.
func (s Solver) Tabulates(m bcpace.Model) bool { return !solverkit.Bounded(m) && s.Bounds == nil }
