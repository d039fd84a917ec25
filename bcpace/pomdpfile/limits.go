package pomdpfile

import "strconv"

const (
	// MaxStates is the most values that a variable of a file, or the product of
	// its state variables, of its action variables or of its observation
	// variables, may have.
	MaxStates = 1 << 24
	// MaxVariables is the most variables that a .pomdpx file may have.
	MaxVariables = 1 << 10
	// MaxEntries is the most numbers, rows and branches of tables that a file may
	// make a reader hold, 3 to 6 GiB.
	MaxEntries = 1 << 28
	// Tolerance is how far from one the probabilities of a distribution may add
	// up to before they are divided by their sum; n times that where n functions
	// of a .pomdpx file make it.
	Tolerance = 1e-5

	bytesPerEntry = 12 // of a sparse matrix
)

// rewardWanted is what a reward must be, whatever the discount.
const rewardWanted = "a reward of size 5e149 at most"

// limits bound what a file may make its reader allocate.
type limits struct {
	states, entries int
}

var standard = limits{MaxStates, MaxEntries}

// budget counts the entries of all tables of a file.
type budget struct {
	left, most int
	exceeded   func(most int) // stops the reading
}

// spend takes n entries.
func (b *budget) spend(n int) {
	if n > b.left {
		b.exceeded(b.most)
	}
	b.left -= n
}

// newBudget returns the budget of a file.
func newBudget(s *source, l limits) *budget {
	return &budget{left: l.entries, most: l.entries, exceeded: func(most int) {
		s.mark()
		s.fail("tables of more than "+strconv.Itoa(most)+" entries", "a model within the limit MaxEntries")
	}}
}
