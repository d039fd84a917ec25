package solverkit

import (
	"context"
	"fmt"
	"math"

	"bayescpace/bcpace"
)

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
	Depth               = Param{Key: "depth", Field: "Budget.Depth", Arg: "N", Doc: "most steps that an online planner looks ahead at a decision; 0 for as many as matter"}
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

// Questioner is a solver with an Objective, which asks a solver for the largest expected return many times.
type Questioner interface {
	bcpace.Solver
	Objective() bcpace.Objective
	// Inside returns the solver that is asked.
	Inside() bcpace.Solver
	// Findings returns what was found beside the Certificate of a solution of this solver.
	Findings(found *bcpace.Solution) []Finding
}

// Finding is a number, a text or a list that a solver has found, for tables and for JSON.
type Finding struct {
	Key   string // in JSON; "" where it stands in tables alone
	Name  string // in tables; "" where it stands in JSON alone
	Value any    // plain data
	Bound int    // of a number: −1 for a lower bound, 1 for an upper one
	Note  string // what the number says, behind it in a table
}

// ObjectiveOf returns what a solver looks for.
func ObjectiveOf(s bcpace.Solver) bcpace.Objective {
	if q, ok := s.(Questioner); ok {
		return q.Objective()
	}
	return bcpace.Objective{}
}

// Findings returns what a solver has found beside the Certificate: of an Objective, nothing otherwise.
func Findings(found *bcpace.Solution) []Finding {
	if q, ok := found.Solver.(Questioner); ok {
		return q.Findings(found)
	}
	return nil
}

// Rows returns the names and texts of a table of Findings, where number writes a number or a bound. What is not known is left out.
func Rows(found *bcpace.Solution, number func(v float64, bound int) string) (rows [][2]string) {
	for _, x := range Findings(found) {
		v, ok := x.Value.(float64)
		if x.Name == "" || ok && (math.IsNaN(v) || math.IsInf(v, 0)) {
			continue
		}
		text := fmt.Sprint(x.Value)
		if ok {
			text = number(v, x.Bound)
		}
		if x.Note != "" {
			text += ": " + x.Note
		}
		rows = append(rows, [2]string{x.Name, text})
	}
	return rows
}

// controlKey is the key under which a context carries a Control.
type controlKey struct{}

// WithControl returns a context for what a solver does beside its search: what lists a model
// or computes tables with it, such as dp.SolveLatent, dp.ListTransitions, Transitions.Bounds and
// dp.SolveGridBounds, and the upper bound by grids of a certificate, works with c.Workers
// goroutines, and calls c.Progress with a Phase, from the goroutine that has called it. It is
// for authors of solvers.
func WithControl(ctx context.Context, c bcpace.Control) context.Context {
	return context.WithValue(ctx, controlKey{}, c)
}

// ControlOf returns the Control of WithControl, the zero one without it.
func ControlOf(ctx context.Context) bcpace.Control {
	c, _ := ctx.Value(controlKey{}).(bcpace.Control)
	return c
}

// ReportPhase tells the Progress of WithControl what is being computed, and which share of
// it is done, in [0, 1], or −1 where nobody knows. It costs little: call it where a loop
// looks at its context.
func ReportPhase(ctx context.Context, phase string, share float64) {
	if report := ControlOf(ctx).Progress; report != nil {
		report(bcpace.Progress{Phase: phase, Share: share})
	}
}

// TimeShare is what a solver does with a part of its time before a deadline: with a share of what is
// left of it then, at most.
type TimeShare struct {
	What  string
	Share float64
}

// Scheduled is a solver that divides its time before a deadline.
type Scheduled interface {
	// TimeShares lists the parts for a model, in order. What a part leaves is for those that follow.
	TimeShares(m bcpace.Model) []TimeShare
}

// Status says how far one can build on a solver, an environment or a package.
type Status string

const (
	Core       Status = "core"
	Extension  Status = "extension"
	Experiment Status = "experiment"
)

// Statuses are all of them, the most reliable first.
func Statuses() []Status { return []Status{Core, Extension, Experiment} }

// Promise is what a status promises to whoever builds on something that has it.
func (s Status) Promise() string {
	switch s {
	case Core:
		return "Values and bounds are tested on random models against computations of another kind. Names, parameters and results stay; where a fault is mended, the changelog says which result changed."
	case Extension:
		return "Values and bounds are tested as those of the core. Names, defaults and random numbers may change with a version, which the changelog says."
	case Experiment:
		return "Values and bounds are tested on the problems of its own tests. It may change or go with any version."
	}
	return ""
}
