package pomdpfile

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
)

const (
	// MaxStates is the most values that a variable of a file, or the product of
	// its state variables or of its observation variables, may have.
	MaxStates = 1 << 24
	// MaxActions is the most actions of a file, the product of its action
	// variables: solvers try all of them at every belief.
	MaxActions = 1 << 16
	// MaxVariables is the most variables that a .pomdpx file may have.
	MaxVariables = 1 << 10
	// MaxMemory is how many bytes a model may take while it is read, by an
	// estimate that is made before they are taken. Where the environment variable
	// GOMEMLIMIT or debug.SetMemoryLimit sets a limit for the program, that one
	// holds in its place, be it larger or smaller.
	MaxMemory = 1 << 31
	// MaxSteps is how many assignments, products and sums reading a model may
	// take; that is less than two minutes.
	MaxSteps = 1 << 34
	// Tolerance is how far from one the probabilities of a distribution may add
	// up to before they are divided by their sum; n times that where n functions
	// of a .pomdpx file make it.
	Tolerance = 1e-5
	// Rounding is how far from one the probabilities of a distribution may add up to for each
	// of them that is not zero, up to MaxRounding, where that is more than Tolerance: what six
	// decimals leave. The model has a note of it.
	Rounding    = 5e-7
	MaxRounding = 1e-2
)

// Bytes of what a reader holds.
const (
	bytesPerName   = 16 + 8 // of a number; a name of the file has its letters besides
	bytesPerLookup = 64     // of a name in a map
	bytesPerNode   = 56     // of a table
	bytesPerCell   = 24     // of a table, with room to grow
	bytesPerNumber = 12     // of a sparse matrix
	bytesPerRow    = 8      // of a sparse matrix
	bytesPerStart  = 16
	bytesPerReward = 8
)

// rewardWanted is what a reward must be, whatever the discount.
const rewardWanted = "a reward of size 5e149 at most"

// limits bound what a file may make its reader do.
type limits struct {
	states, actions, bytes, steps int
}

// standard returns the limits of the package's readers.
func standard() limits {
	bytes := MaxMemory
	if own := debug.SetMemoryLimit(-1); own < math.MaxInt64 {
		bytes = int(own)
	}
	return limits{MaxStates, MaxActions, bytes, MaxSteps}
}

// budget counts the memory and the steps that reading a file takes, and ends it
// with its context.
type budget struct {
	ctx          context.Context
	bytes, steps int // taken so far
	limits       limits
	look         int // the number of steps at which to look at ctx again
	src          *source
}

// newBudget returns the budget of a file.
func newBudget(ctx context.Context, s *source, l limits) *budget {
	return &budget{ctx: ctx, limits: l, src: s}
}

// spend takes memory. It must be called before the memory is allocated.
func (b *budget) spend(bytes int) {
	b.bytes += bytes
	if b.bytes > b.limits.bytes || b.bytes < 0 {
		b.src.mark()
		b.src.fail("a model that takes at least "+inBytes(b.bytes)+" of memory",
			"one within the limit MaxMemory, "+inBytes(b.limits.bytes)+" (the environment variable GOMEMLIMIT sets another)")
	}
}

// spendAll takes memory for a number of equal parts, however large that is.
func (b *budget) spendAll(parts, bytes int) {
	if parts > math.MaxInt/2/bytes {
		parts = math.MaxInt / 2 / bytes
	}
	b.spend(parts * bytes)
}

// work takes steps.
func (b *budget) work(steps int) {
	if b.steps += steps; b.steps >= b.look {
		b.lookUp()
	}
}

// lookUp ends the reading if its context has ended, or if it takes too long.
func (b *budget) lookUp() {
	const often = 1 << 14
	b.look = b.steps + often
	if b.ctx.Err() != nil {
		panic(stop{&Error{File: b.src.name, Line: b.src.line, Err: context.Cause(b.ctx)}})
	}
	if b.steps > b.limits.steps {
		b.src.mark()
		b.src.fail(fmt.Sprintf("a model that takes more than %d steps to multiply out", b.limits.steps), "one within the limit MaxSteps")
	}
}

// inBytes is a size as an error shows it.
func inBytes(n int) string {
	if n >= 1e9 {
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
