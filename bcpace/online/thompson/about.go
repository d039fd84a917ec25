package thompson

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "draws a latent from the belief, or transitions that are unknown, and takes the best action for what it has drawn",
		Written: "Thompson sampling",
		Cited:   "Thompson sampling [@thompson1933,strens2000]",
		SetUp:   "the values of the latent MDPs" + solverkit.Long,
		Params:  []solverkit.Param{solverkit.ControlPoints, {Key: "every", Field: "Every", Arg: "N", Doc: "steps after which thompson draws anew; 0, the default, for once in an episode, or where transitions are learned when a state and action has been seen twice as often, and after 1/(1−γ) steps at most"}, solverkit.Sweeps},
	}
}

// Tabulates implements solverkit.Tabulator.
func (Solver) Tabulates(m bcpace.Model) bool { return !solverkit.Valued(m) }
