package controller

import "bayescpace/bcpace"

// Open returns m without what it says of its own values, which would be false with another prior or other rewards.
func Open(m bcpace.Model) bcpace.Model {
	switch m.(type) {
	case bcpace.ValueBounds, bcpace.LatentValues, bcpace.ToldModel:
		return bcpace.Derive(m, func(bcpace.Model, *bcpace.Abilities) {})
	}
	return m
}
