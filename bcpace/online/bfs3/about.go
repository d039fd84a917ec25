package bfs3

import "bayescpace/bcpace/solverkit"

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "searches the tree of sparse sampling where it matters, by bounds; learns transitions that are unknown",
		Written: "BFS3",
		Cited:   "BFS3, Bayesian forward search sparse sampling [@asmuth2011,walsh2010]",
		Params:  []solverkit.Param{solverkit.Budget, solverkit.Depth, {Key: "width", Field: "Width", Arg: "C", Doc: "draws for each action of a node (default 15)", Want: "1 draw or more"}},
	}
}
