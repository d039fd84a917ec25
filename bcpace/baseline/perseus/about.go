package perseus

import "bayescpace/bcpace/solverkit"

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:         "raises the lower bound at a set of beliefs that random actions reach, with few backups in a stage",
		Written:     "Perseus",
		Cited:       "Perseus, randomised point-based value iteration [@spaan2005], for mixed observability [@ong2010]",
		SetUp:       "its first bounds" + solverkit.Long,
		SavesPolicy: true,
		Params:      []solverkit.Param{solverkit.Beliefs, solverkit.Stages, solverkit.Unreveal, solverkit.Epsilon, solverkit.Seed},
	}
}
