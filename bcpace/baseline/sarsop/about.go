package sarsop

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/pointbased"
	"bayescpace/bcpace/solverkit"
)

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:         "brackets the optimal value of any POMDP and of finite models, over the beliefs that good policies reach",
		Written:     "SARSOP",
		Cited:       "SARSOP [@kurniawati2008] for mixed observability [@ong2010]",
		SetUp:       "its first bounds" + solverkit.Long,
		SavesPolicy: true,
		Params: []solverkit.Param{
			{Key: solverkit.MaxSamples.Key, Field: "MaxBeliefs", Arg: "N", Doc: "most beliefs; 0 for no limit"},
			{Key: solverkit.MaxEpisodes.Key, Field: "MaxTrials", Arg: "N", Doc: "most trials; 0 for no limit"},
			solverkit.Unreveal, solverkit.Epsilon,
		},
	}
}

// TimeShares implements solverkit.Scheduled.
func (Solver) TimeShares(bcpace.Model) []solverkit.TimeShare { return pointbased.TimeShares("trials") }
