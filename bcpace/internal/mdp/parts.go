package mdp

import (
	"slices"

	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/side"
)

// Parts is into how many parts of equal size the states of a large process are cut. It does
// not depend on the number of goroutines, and so neither does any result.
const Parts = 16

// EachPart calls do for each part of so many states, side by side by so many goroutines:
// with its number and its states, those from the first to before the second.
func EachPart(workers, states int, do func(i, from, to int)) {
	side.Each(workers, Parts, func(_, i int) {
		from, to := part(i, states)
		do(i, from, to)
	})
}

// part returns the states of part i of n: those from the first to before the second.
func part(i, n int) (from, to int) { return i * n / Parts, (i + 1) * n / Parts }

// sums has a number for each part, to be added up in the order of the parts: sums of
// many numbers depend on their order.
type sums [Parts]float64

func (s *sums) total() float64 { return num.Sum(s[:]) }

func (s *sums) largest() float64 { return slices.Max(s[:]) }
