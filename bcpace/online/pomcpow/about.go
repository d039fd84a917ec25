package pomcpow

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/solverkit"
)

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "searches as pomcp does, also in continuous states and boxes of actions, which it widens as it goes",
		Written: "POMCPOW",
		Cited:   "POMCPOW [@sunberg2018]",
		SetUp:   "the values of the latent MDPs, for --rollout told" + solverkit.Long,
		Sooner:  "--rollout random",
		Params: []solverkit.Param{
			solverkit.Budget, solverkit.Depth, solverkit.Exploration, solverkit.Rollout,
			{Key: "state-k", Field: "StateK", Arg: "K", Doc: "after n visits an action has K·n^A next states at most (default 4)", Want: "K > 0"},
			{Key: "state-alpha", Field: "StateAlpha", Arg: "A", Doc: "A of --state-k, in (0, 1) (default 0.25)", Want: "A in (0, 1)"},
			{Key: "action-k", Field: "ActionK", Arg: "K", Doc: "after n visits a state has K·n^A actions at most, where some have a box (default 4)", Want: "K > 0"},
			{Key: "action-alpha", Field: "ActionAlpha", Arg: "A", Doc: "A of --action-k, in (0, 1) (default 0.33)", Want: "A in (0, 1)"},
		},
	}
}

// Tabulates implements solverkit.Tabulator.
func (s Solver) Tabulates(m bcpace.Model) bool {
	return !solverkit.Valued(m) && s.Rollout == online.ToldRollout
}
