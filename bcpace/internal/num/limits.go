package num

import "fmt"

// MaxHorizon is the largest number of steps of an episode. Beyond it, a computation would not end, and
// numbers of steps would overflow.
const MaxHorizon = 1_000_000_000

// MaxWorkers is the largest number of goroutines or processes side by side. Each has its own memory, and
// more than there are processors help nowhere.
const MaxWorkers = 1024

// MaxValue is the largest difference of two values of a model, in reward units: sums and squares of values
// up to it are finite numbers.
const MaxValue = 1e150

// WantWorkers says what would be right in place of a number of workers that is not in [0, MaxWorkers].
// unit names what works, such as "goroutines".
func WantWorkers(unit string) string {
	return fmt.Sprintf("a number of %s up to %d, or 0 for one per processor", unit, MaxWorkers)
}
