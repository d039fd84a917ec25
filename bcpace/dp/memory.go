package dp

// maxTables bounds the memory of Transitions, and of the bounds made of them, in
// bytes: more would leave most machines no room for a search.
const maxTables = 2e9

// boundTables is how many tables of a number for each latent of a row bounds makes, those
// that it works with included, and chainBytes the bytes of the vectors with which a large
// model is solved, for each state and latent.
const (
	boundTables = 6
	chainBytes  = 100
)
