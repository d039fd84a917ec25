package cpace

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "explores optimistically, as the paper does",
		Written: "Bayes-CPACE",
		Cited:   "Bayes-CPACE [@lee2018]",
		SetUp:   "the values of the latent MDPs" + solverkit.Long,
		Sooner:  "--bound constant, which does without",
		Params: []solverkit.Param{
			{Key: "k", Field: "K", Arg: "N", Doc: "neighbours averaged in an estimate", Want: "a number of neighbours, 1 or more"},
			{Key: "lipschitz", Field: "LipQ", Arg: "L", Doc: "L_Q, in reward units per unit of distance; 0 for ½(Vmax − Vmin), which needs no assumption"},
			{Key: "alpha", Field: "Alpha", Arg: "A", Doc: "weight of the state's distance against the belief's", Want: "α > 0"},
			{Key: "bound", Field: "Bound", Arg: "NAME", Doc: "upper bound of the estimate: constant, best-case, qmdp, fib and tib (of models with numbered states), or proved: the less of qmdp and of what is proved of a model that states how smooth it is, as dual-control does"},
			{Key: "seed-one-hot", Field: "SeedOneHot", Doc: "take the values of the latent MDPs near one-hot beliefs; =false for not"},
			{Key: "beta", Field: "Beta", Arg: "B", Doc: "error allowed in value iteration, in reward units; 0 for convergence"},
			{Key: "batch", Field: "Batch", Arg: "N", Doc: "episodes between two value iterations; 0 for one after every new sample"},
			{Key: "horizon", Field: "Horizon", Arg: "T", Doc: "steps of an episode; 0 for what ε and the discount ask for"},
			{Key: "return", Field: "Policy", Arg: "RULE", Doc: "the policy to return: greedy, as the paper has it, or best, by simulation, of that one, QMDP and the policies of one action (default best; greedy for the environments of envs)"},
			{Key: "patience", Field: "Patience", Arg: "N", Doc: "episodes in a row without a new sample that end the exploration", Want: "a number of episodes, 1 or more"},
			solverkit.ControlPoints,
			{Key: "control-tolerance", Field: "ControlTolerance", Arg: "E", Doc: "how much a greedy control of a box may fall short of the best, in reward units; 0 for ε·(1−γ)/10"},
			solverkit.MaxSamples, solverkit.MaxEpisodes, solverkit.CertificateEpisodes, solverkit.Epsilon, solverkit.Seed,
		},
	}
}

// Tabulates implements solverkit.Tabulator.
func (s Solver) Tabulates(m bcpace.Model) bool {
	return !solverkit.Valued(m) && s.Latent == nil && (s.Bound != BoundConstant || s.SeedOneHot)
}
