package certified

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "brackets the optimal value from both sides until it is known to ε, in models that list what follows a state",
		Written: "certified",
		Cited:   "the certified search of the toolkit, which brackets the optimal value from both sides in the manner of HSVI2 [@smith2005]",
		SetUp:   "its first bounds" + solverkit.Long,
		Sooner:  "--algorithm bayes-cpace --bound constant, which begins at once",
		Params: []solverkit.Param{
			solverkit.MaxSamples, solverkit.MaxEpisodes,
			{Key: "lip-state", Field: "LipState", Arg: "L", Doc: "L_S where states are not numbered, in reward units per unit of the state's distance; 0 for an estimate"},
			solverkit.ControlPoints, solverkit.CertificateEpisodes, solverkit.Epsilon, solverkit.Seed,
		},
	}
}

// TimeShares implements solverkit.Scheduled.
func (Solver) TimeShares(m bcpace.Model) []solverkit.TimeShare { return runs.SearchShares(m) }
