package solverkit

import "bayescpace/bcpace"

// NeedsNumbered returns an *bcpace.UnsupportedError for a model without numbered states, or with a Spec.Goal.
func NeedsNumbered(m bcpace.Model, algorithm string) error {
	if err := NeedDiscount(m.Spec(), algorithm); err != nil {
		return err
	}
	if _, finite := bcpace.AsFinite(m); finite {
		return nil
	}
	return &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: algorithm, Need: NeedNumbered(m)}
}

// NeedsList returns an *bcpace.UnsupportedError for a model that does not list what follows, or with a Spec.Goal.
func NeedsList(m bcpace.Model, algorithm string) error {
	if err := NeedDiscount(m.Spec(), algorithm); err != nil {
		return err
	}
	if _, lists := m.(bcpace.Enumerator); lists {
		return nil
	}
	return &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: algorithm, Need: NeedSuccessors("")}
}

// Valued reports whether m knows its own latent values, so that no tables of them are made.
func Valued(m bcpace.Model) bool {
	_, valued := m.(bcpace.LatentValues)
	return valued
}

// Bounded reports whether m bounds its own values, so that no tables of bounds are made.
func Bounded(m bcpace.Model) bool {
	_, bounded := m.(bcpace.ValueBounds)
	return bounded
}
