package bcpace

import (
	"fmt"
	"slices"
)

// WithPrior returns m with another prior P0(φ). All else stays. A saved run of the model is read with
// runs.FixedModel, as its parameters do not tell the prior. The error is an *InputError for a prior
// that is no distribution over the latents of m, or that of Validate; an *UnsupportedError for a
// ToldModel, ValueBounds, LatentValues or UnknownTransitions: only the model itself can change its
// prior and stay one.
func WithPrior(m Model, prior Belief) (Model, error) {
	if err := Validate(m); err != nil {
		return nil, err
	}
	spec := m.Spec()
	if len(prior) != len(spec.Latents) {
		return nil, spec.in().Bad("the prior", fmt.Sprintf("%d long", len(prior)), fmt.Sprintf("%d, one probability for each latent", len(spec.Latents)))
	}
	if err := prior.Validate(); err != nil {
		return nil, err
	}
	now := make(Belief, len(prior))
	if m.Prior(now); slices.Equal(now, prior) {
		return m, nil
	}
	if lost := needsOwnPrior(m); lost != "" {
		return nil, &UnsupportedError{Model: spec.Name, Algorithm: "WithPrior", Need: "a model that is no " + lost + ": build it with this prior"}
	}
	return withPrior(m, slices.Clone(prior)), nil
}

// withPrior is WithPrior for a prior that is sound and kept by nobody else.
func withPrior(m Model, prior Belief) Model {
	_, gaussian := m.(*gaussianModel)
	_, listed := m.(*listedModel)
	return derive(m, func(_ Model, a *Abilities) {
		if !gaussian && !listed && asDerived(m) == nil {
			a.asSaved()
		}
		a.Prior = func(b Belief) { copy(b, prior) }
		if a.Behind != nil {
			a.Behind = withPrior(a.Behind, prior)
		}
	})
}

// needsOwnPrior names what m says of itself that depends on the prior; "" where there is nothing.
func needsOwnPrior(m Model) string {
	switch m.(type) {
	case ToldModel:
		return "ToldModel"
	case ValueBounds:
		return "ValueBounds"
	case LatentValues:
		return "LatentValues"
	case UnknownTransitions:
		return "UnknownTransitions"
	}
	if d := asDerived(m); d != nil && d.can.Behind != nil {
		return needsOwnPrior(d.can.Behind)
	}
	return ""
}

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
