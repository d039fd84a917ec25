package solverkit

import (
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
)

// CheckHorizon returns an *bcpace.InputError, with where and what as its fields, for a number of steps
// below 0 or above 1,000,000,000. zero says what 0 means.
func CheckHorizon(where, what string, steps int, zero string) error {
	if steps >= 0 && steps <= num.MaxHorizon {
		return nil
	}
	return bcpace.In(where).Bad(what, steps, fmt.Sprintf("a number of steps up to %d, or 0 for %s", num.MaxHorizon, zero))
}

// CheckWorkers returns an *bcpace.InputError, with where and what as its fields, for a number of
// workers below 0 or above 1,024. unit names what works, such as "goroutines"; 0 means one for each
// processor.
func CheckWorkers(where, what string, workers int, unit string) error {
	if workers >= 0 && workers <= num.MaxWorkers {
		return nil
	}
	return bcpace.In(where).Bad(what, workers, num.WantWorkers(unit))
}
