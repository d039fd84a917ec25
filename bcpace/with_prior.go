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
