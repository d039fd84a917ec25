package boss

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "takes the best action of the most favourable of several drawn MDPs; learns transitions that are unknown",
		Written: "BOSS",
		Cited:   "BOSS, best of sampled set [@asmuth2009]",
		SetUp:   "the lists of what may follow" + solverkit.Long,
		Params: []solverkit.Param{
			{Key: "models", Field: "Models", Arg: "K", Doc: "MDPs that boss draws at once (default 5, with --sboss 2)", Want: "1 MDP or more"},
			{Key: "known", Field: "Known", Arg: "B", Doc: "observations of a state and action after which boss draws anew (default 8)", Want: "1 observation or more"},
			{Key: "sboss", Field: "Smarter", Doc: "have boss draw as many MDPs, and as often, as the variance of the posterior asks for"},
			{Key: "variance", Field: "Variance", Arg: "V", Doc: "variance that one draw of --sboss stands for (default 0.02)", Want: "a variance above 0"},
			{Key: "change", Field: "Change", Arg: "Z", Doc: "change of means after which --sboss draws anew, in standard deviations (default 1)", Want: "a number above 0"},
			solverkit.Sweeps,
		},
	}
}

// Supports implements solverkit.Selective.
func (s Solver) Supports(m bcpace.Model) error { return solverkit.NeedsNumbered(m, s.Name()) }
