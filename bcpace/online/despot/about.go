package despot

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "searches at every decision in a tree of what sampled scenarios can lead to",
		Written: "DESPOT",
		Cited:   "DESPOT [@somani2013,ye2017]",
		SetUp:   "the values of the latent MDPs" + solverkit.Long,
		Params: []solverkit.Param{
			solverkit.Budget, solverkit.Depth,
			{Key: "scenarios", Field: "Scenarios", Arg: "K", Doc: "scenarios of a decision; 0 for 100"},
			{Key: "regularisation", Field: "Regularisation", Arg: "L", Doc: "price of a node of the policy's tree, in reward units"},
		},
	}
}

// Tabulates implements solverkit.Tabulator.
func (Solver) Tabulates(m bcpace.Model) bool { return !solverkit.Valued(m) }
