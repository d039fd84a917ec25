package pomcp

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/solverkit"
)

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "searches at every decision by simulations under latents drawn from the belief, with UCB1 in the tree; it is BAMCP",
		Written: "POMCP",
		Cited:   "POMCP [@silver2010], which is BAMCP [@guez2012] on such a model, with the backups of MaxUCT [@keller2013]",
		SetUp:   "the values of the latent MDPs, for --rollout told" + solverkit.Long,
		Sooner:  "--rollout blind",
		Params:  []solverkit.Param{solverkit.Budget, solverkit.Depth, solverkit.Exploration, solverkit.Rollout},
	}
}

// Tabulates implements solverkit.Tabulator.
func (s Solver) Tabulates(m bcpace.Model) bool {
	return !solverkit.Valued(m) && s.Rollout == online.ToldRollout
}
