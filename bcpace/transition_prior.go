package bcpace

// UnknownTransitions is a Finite model for agents that do not know P(s'|s,a) for each state and
// action, beside the latent, and learn it within an episode. All methods but TransitionPrior are about
// the truth. Package family makes such models.
type UnknownTransitions interface {
	Finite
	TransitionPrior() TransitionPrior
}

// knowsTransitions returns an *UnsupportedError for an UnknownTransitions, which a model that an
// algorithm makes of it would not be.
func knowsTransitions(m Model, algorithm string) error {
	if _, ok := m.(UnknownTransitions); !ok {
		return nil
	}
	return &UnsupportedError{Model: m.Spec().Name, Algorithm: algorithm, Need: "a model whose transitions are known; family.Unknown makes them unknown of what this returns"}
}

// TransitionPrior says what an agent knows that does not know P(s'|s,a). Each row P(·|s,a) has a
// Dirichlet prior of its own. The zero value is the flat prior of Dearden, Friedman and Andre (1999).
type TransitionPrior struct {
	// Alpha is the parameter α of the Dirichlet prior for each state that may follow. 0 means
	// 1/n where n states may follow, and 0.2 if Sparse.
	Alpha float64
	// Sparse says that few of the states that may follow do, by the prior of Friedman and Singer (1999,
	// "Efficient Bayesian parameter estimation in large discrete domains"): k states follow with a
	// probability in proportion to 2^−k, each set of k states is equally likely, and the row has a
	// Dirichlet distribution over the set.
	Sparse bool
	// Follow returns the numbers of the states that may follow a state after an action, each
	// once; nil means that every state may. An agent learns nothing from what that rules out.
	Follow func(state, action int) []int32
	// Reward returns the reward of a step between numbered states. nil means that it is the one that the
	// model lists, which must then not depend on the next state.
	Reward func(state, action, next int) float64
}
