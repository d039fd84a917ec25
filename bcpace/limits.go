package bcpace

import "fmt"

// MaxHorizon is the largest number of steps of an episode that can be asked for. Beyond it,
// a computation would not end, and numbers of steps would overflow.
const MaxHorizon = 1_000_000_000

// MaxWorkers is the largest number of goroutines or processes side by side that can be asked
// for. Each has its own memory, and more than there are processors help nowhere.
const MaxWorkers = 1024

// CheckWorkers returns an *InputError, with where and what as its fields, for a number of
// workers below 0 or above MaxWorkers. unit names what works, such as "goroutines"; 0 means one
// for each processor.
func CheckWorkers(where, what string, workers int, unit string) error {
	if workers >= 0 && workers <= MaxWorkers {
		return nil
	}
	return In(where).Bad(what, workers, fmt.Sprintf("a number of %s up to %d, or 0 for one per processor", unit, MaxWorkers))
}
