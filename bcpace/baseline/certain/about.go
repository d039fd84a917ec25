package certain

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "takes the best action for the most likely latent",
		Written: "certainty equivalence",
		Cited:   "certainty equivalence, which acts as is best for the most likely latent and which dual control [@feldbaum1960] is set against",
		SetUp:   "the values of the latent MDPs" + solverkit.Long,
		Params:  []solverkit.Param{solverkit.ControlPoints},
	}
}

// Tabulates implements solverkit.Tabulator.
func (Solver) Tabulates(m bcpace.Model) bool { return !solverkit.Valued(m) }

// Supports implements solverkit.Selective.
func (s Solver) Supports(m bcpace.Model) error { return solverkit.NeedsList(m, s.Name()) }
