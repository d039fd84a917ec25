package sparse

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "estimates each action from draws of what follows, and these from draws behind them, to a small depth",
		Written: "sparse sampling",
		Cited:   "sparse sampling [@kearns2002]",
		Params:  []solverkit.Param{solverkit.Budget, solverkit.Depth, {Key: "width", Field: "Width", Arg: "C", Doc: "draws for each action behind the first (default 4)", Want: "1 draw or more"}},
	}
}

// Tabulates implements solverkit.Tabulator.
func (Solver) Tabulates(bcpace.Model) bool { return false }
