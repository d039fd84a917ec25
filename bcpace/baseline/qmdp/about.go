package qmdp

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "acts as if the latent were known after the next step",
		Written: "QMDP",
		Cited:   "QMDP [@littman1995]",
		SetUp:   "the values of the latent MDPs" + solverkit.Long,
		Params:  []solverkit.Param{solverkit.ControlPoints},
	}
}

// Tabulates implements solverkit.Tabulator.
func (Solver) Tabulates(m bcpace.Model) bool { return !solverkit.Valued(m) }

// Supports implements solverkit.Selective.
func (s Solver) Supports(m bcpace.Model) error { return solverkit.NeedsList(m, s.Name()) }
