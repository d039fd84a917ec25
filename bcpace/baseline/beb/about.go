package beb

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "takes the best action of the mean MDP, with a bonus for what was seen seldom; learns transitions that are unknown",
		Written: "BEB",
		Cited:   "BEB, the Bayesian exploration bonus [@kolter2009]",
		SetUp:   "the lists of what may follow" + solverkit.Long,
		Params:  []solverkit.Param{{Key: "bonus", Field: "Beta", Arg: "B", Doc: "bonus β of an action never seen, in reward units (default 10% of the range of rewards)", Zero: "NoBonus"}, solverkit.Sweeps},
	}
}

// Supports implements solverkit.Selective.
func (s Solver) Supports(m bcpace.Model) error { return solverkit.NeedsNumbered(m, s.Name()) }
