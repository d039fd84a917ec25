package solverkit

import "bayescpace/bcpace"

// Param is a parameter of a solver.
type Param struct {
	Key   string // its name on a command line
	Field string // of the solver's type, which errors name; behind a dot, one of a struct in it
	Arg   string // stands for its value in a help text; "" for a switch
	Doc   string
	// Want says what would be right instead of an explicit 0; "" where 0 has a meaning
	// of its own, which Doc gives.
	Want string
	// Zero is the switch that an explicit 0 turns on, where 0 in the field is a default.
	Zero string
}

// Unrevealed is the key of the parameter of About.SavesPolicy.
const Unrevealed = "unrevealed"

// Parameters of several solvers.
var (
	Epsilon             = Param{Key: "epsilon", Field: "Epsilon", Arg: "E", Doc: "ε, in reward units"}
	Seed                = Param{Key: "seed", Field: "Seed", Arg: "N", Doc: "seed of the random numbers"}
	MaxSamples          = Param{Key: "max-samples", Field: "MaxSamples", Arg: "N", Doc: "most samples; 0 for no limit"}
	MaxEpisodes         = Param{Key: "max-episodes", Field: "MaxEpisodes", Arg: "N", Doc: "most episodes; 0 for no limit"}
	ControlPoints       = Param{Key: "control-points", Field: "ControlPoints", Arg: "N", Doc: "points on each axis of a box of actions, in whose place there is a list; 0 for the default"}
	Budget              = Param{Key: "budget", Field: "Budget", Arg: "B", Doc: "of a decision: of an online planner simulations, such as 1000, or a time, such as 100ms (default 1000), where with a time results depend on the machine; of beb, boss and thompson sweeps over the states", Want: "1 simulation or more, or a time above 0"}
	Depth               = Param{Key: "depth", Field: "Budget.Depth", Arg: "N", Doc: "most steps that an online planner looks ahead at a decision; 0 for as many as matter (of sparse 3, of bfs3 10 at most)"}
	CertificateEpisodes = Param{Key: "certificate-episodes", Field: "CertificateEpisodes", Arg: "N", Doc: "episodes that the policy plays for a statistical certificate (default 2000, of certified 20000); -1 for none", Want: "1 episode or more, or -1 for none"}
	Exploration         = Param{Key: "exploration", Field: "Exploration", Arg: "C", Doc: "weight c of UCB1's bonus for rarely tried actions, in reward units (default the range of rewards; where transitions are unknown, up to a fifth of what there is to gain)", Want: "c > 0"}
	Rollout             = Param{Key: "rollout", Field: "Rollout", Arg: "NAME", Doc: "policy of simulations behind the search tree: blind, which repeats an action (the default for a list of actions), random, or told, which takes the best action for the simulation's latent"}
	Unreveal            = Param{Key: Unrevealed, Field: "Unrevealed", Doc: "have the policy act on the states of a POMDP as it is given"}
	Beliefs             = Param{Key: "beliefs", Field: "Beliefs", Arg: "N", Doc: "most beliefs at which pbvi and perseus make backups (default 1000)", Want: "1 belief or more"}
	Stages              = Param{Key: MaxEpisodes.Key, Field: "MaxStages", Arg: "N", Doc: "most stages; 0 for no limit"}
	Sweeps              = Param{Key: Budget.Key, Field: "Sweeps", Arg: "N", Doc: "most sweeps over the states at a decision (default 1000)", Want: "1 sweep or more"}
)

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
