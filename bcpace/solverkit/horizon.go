package solverkit

import (
	"fmt"

	"bayescpace/bcpace"
)

// CheckStationary returns an *UnsupportedError that names the algorithm if m has a
// horizon and states without the steps left: then its values and best actions are not
// functions of state and belief.
func CheckStationary(m bcpace.Model, algorithm string) error {
	if m == nil {
		return bcpace.Validate(m)
	}
	if !bcpace.AbilitiesOf(m).CutsEpisodes() {
		return nil
	}
	return &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: algorithm,
		Need: fmt.Sprintf("the steps left in the states, as values in a model with a horizon depend on them: use bcpace.FiniteHorizon(model, %d)", m.Spec().Horizon)}
}
