package solverkit

import (
	"fmt"

	"bayescpace/bcpace"
)

// CheckHorizon returns an *bcpace.InputError, with where and what as its fields, for a number of steps
// below 0 or above bcpace.MaxHorizon. zero says what 0 means.
func CheckHorizon(where, what string, steps int, zero string) error {
	if steps >= 0 && steps <= bcpace.MaxHorizon {
		return nil
	}
	return bcpace.In(where).Bad(what, steps, fmt.Sprintf("a number of steps up to %d, or 0 for %s", bcpace.MaxHorizon, zero))
}
