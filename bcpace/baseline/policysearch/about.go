package policysearch

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "tries policies that are linear in products of the coordinates and the belief, and keeps those that earn most in simulated episodes",
		Written: "policy search by CMA-ES",
		Cited:   "direct policy search by CMA-ES [@heidrich2009]",
		SetUp:   "its first policies",
		Params: []solverkit.Param{
			solverkit.Seed,
			{Key: "max-steps", Field: "MaxSteps", Arg: "N", Doc: "most simulated steps (default 30000000)", Want: "1 step or more"},
			solverkit.CertificateEpisodes,
		},
	}
}

// TimeShares implements solverkit.Scheduled.
func (Solver) TimeShares(m bcpace.Model) []solverkit.TimeShare {
	search := 1 - certificateTime
	list := []solverkit.TimeShare{{What: "search", Share: search}, {What: "certificate", Share: 1}}
	if !HasValues(m) {
		return list
	}
	values := search * (1 - tableShare)
	if solverkit.RealAxes(m.Spec()) > fewAxes {
		values = search * (1 - finerShare)
	}
	list[0].Share = (search - values) / (1 - values)
	return append([]solverkit.TimeShare{{What: "values on a grid", Share: values}}, list...)
}
