package pomdplite

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "plans at every step as if it learned no more, with a bonus for what an action tells",
		Written: "POMDP-lite",
		Cited:   "POMDP-lite [@chen2016]",
		SetUp:   "the value of its policy, which takes a plan for every belief that it reaches",
		Params:  []solverkit.Param{{Key: "bonus", Field: "Beta", Arg: "B", Doc: "weight β of the bonus, in reward units (default 1% of the range of rewards)", Zero: "NoBonus"}, solverkit.Seed},
	}
}

// Supports implements solverkit.Selective.
func (s Solver) Supports(m bcpace.Model) error { return solverkit.NeedsNumbered(m, s.Name()) }
