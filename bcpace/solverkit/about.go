package solverkit

import "bayescpace/bcpace"

// About is what a solver says of itself.
type About struct {
	Doc     string // what it does: a verb and what follows, for a list of solvers
	Written string // its name as papers write it
	Cited   string // how a text calls it, with marks such as [@lee2018] for what it cites
	Params  []Param
	// SetUp names what takes the time before there is anything to keep, with what makes that
	// long, and Sooner what shortens it; "" where nothing does.
	SetUp, Sooner string
	// SavesPolicy says that the policy of a POMDP can be written to a .policy file. It must
	// act on the POMDP's own states then, for which there is a parameter of key Unrevealed.
	SavesPolicy bool
}

// Described is a solver that says what it is.
type Described interface {
	bcpace.Solver
	About() About
}

// Tabulator is a solver whose set-up makes tables of some models only.
type Tabulator interface {
	// Tabulates reports whether the set-up for m makes tables: of the values of the latent
	// MDPs or of bounds, and of transitions.
	Tabulates(m bcpace.Model) bool
}

// Selective is a solver that cannot run on every model.
type Selective interface {
	// Supports returns an *bcpace.UnsupportedError for a model that the solver would refuse.
	Supports(m bcpace.Model) error
}

var registered = make(map[string]About)

// Register makes a solver known by its name. The package of a solver calls it when a program
// begins.
func Register(s Described) { registered[s.Name()] = s.About() }

// Find returns what the solver of that name says of itself, if its package is part of the program.
func Find(name string) (About, bool) {
	a, ok := registered[name]
	return a, ok
}

// Long ends About.SetUp where the set-up is tables of the model.
const Long = ", which take long in a large model or at a discount near 1"
