// Package limits has the largest numbers that can be asked for.
package limits

import "fmt"

// Horizon is the largest number of steps of an episode. Beyond it, a computation would not end, and
// numbers of steps would overflow.
const Horizon = 1_000_000_000

// Workers is the largest number of goroutines or processes side by side. Each has its own memory, and
// more than there are processors help nowhere.
const Workers = 1024

// Value is the largest difference of two values of a model, in reward units: sums and squares of values
// up to it are finite numbers.
const Value = 1e150

// WantWorkers says what would be right in place of a number of workers that is not in [0, Workers].
// unit names what works, such as "goroutines".
func WantWorkers(unit string) string {
	return fmt.Sprintf("a number of %s up to %d, or 0 for one per processor", unit, Workers)
}
