// Package num tells numbers apart, adds them up, has the largest that can be asked for, and codes controls as numbers.
package num

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
)

// Finite reports whether x is a number, and no infinite one.
func Finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// OfBool is 1 for true and 0 for false.
func OfBool(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Sum returns the sum of x, from the first to the last, so that it is the same to the bit wherever x lies in memory:
// floats.Sum of gonum begins with another term where x is not at a multiple of 16 bytes.
func Sum(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// AppendKey appends the bytes of x, by which a map tells lists of numbers apart; 0 and −0 have the same.
func AppendKey(key []byte, x []float64) []byte {
	for _, v := range x {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v+0))
	}
	return key
}

// Largest returns the largest of n numbers and the first place of it; −Inf and 0 where none is larger than that.
func Largest(n int, of func(i int) float64) (most float64, at int) {
	most = math.Inf(-1)
	for i := range n {
		if x := of(i); x > most {
			most, at = x, i
		}
	}
	return most, at
}

// InTurn yields the numbers from 0 up to n − 1, backwards on request.
func InTurn(n int, backwards bool) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if backwards {
				i = n - 1 - i
			}
			if !yield(i) {
				return
			}
		}
	}
}

// UpTo returns the numbers from 0 up to n − 1.
func UpTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

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
