package pbvi

import "bayescpace/bcpace/solverkit"

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:         "raises the lower bound of any POMDP or finite model at a set of beliefs, which grows by simulated steps",
		Written:     "PBVI",
		Cited:       "PBVI, point-based value iteration [@pineau2003], for mixed observability [@ong2010]",
		SetUp:       "its first bounds" + solverkit.Long,
		SavesPolicy: true,
		Params:      []solverkit.Param{solverkit.Beliefs, solverkit.Stages, solverkit.Unreveal, solverkit.Epsilon, solverkit.Seed},
	}
}
