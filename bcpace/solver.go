package bcpace

import (
	"context"
	"io"
	"runtime"

	"bayescpace/bcpace/internal/limits"
	"bayescpace/bcpace/stop"
)

// Solver is an algorithm with its parameters: plain data whose zero fields are
// documented defaults, so that JSON can name it. It reads every parameter that it has.
// Package solvers lists the solvers of this module.
type Solver interface {
	// Name is the name of the algorithm, such as "bayes-cpace".
	Name() string
	// Solve looks for a policy of m and, as far as the algorithm can, for bounds of the
	// optimal value. If ctx ends, Solve returns what it has found so far, with the
	// reason in Solution.Stop: a policy that acts and bounds that hold, also if ctx ends in
	// its set-up, see Unfinished. Errors are an *InputError for invalid parameters or an invalid model, an
	// *UnsupportedError for a model that the algorithm cannot solve, and a
	// *ConformanceError for a model that contradicts itself. If the model breaks its
	// contract only after something was found, an Explorer returns that with stop.Fault,
	// beside the error.
	Solve(ctx context.Context, m Model, c Control) (*Solution, error)
}

// Control changes how long a Solver takes and what it reports on the way, never what it
// finds. The zero value is useful.
type Control struct {
	// Workers is the number of goroutines that work side by side. 0 means one for
	// each processor.
	Workers int
	// Progress, if set, is called after every update from the goroutine that called
	// Solve, and with a Phase now and then while the tables of a large model are computed
	// before the first one. It must return quickly.
	Progress func(Progress)
	// Checkpoint, if set, is called by an Explorer after Progress, unless the exploration
	// ends there, with the run so far. soFar writes a run file whose Stop is "", which
	// Resume can continue. Checkpoint must not use soFar after it has returned.
	Checkpoint func(p Progress, soFar io.WriterTo)
}

// Check returns an *InputError for a control that no solver can use.
func (c Control) Check() error {
	if c.Workers >= 0 && c.Workers <= limits.Workers {
		return nil
	}
	return In("control").Bad("Workers", c.Workers, limits.WantWorkers("goroutines"))
}

// Processors returns how many goroutines work at most: one for each processor, and no more
// than Workers.
func (c Control) Processors() int {
	n := runtime.GOMAXPROCS(0)
	if c.Workers > 0 {
		return min(n, c.Workers)
	}
	return n
}

// Progress is how far a solver has come.
type Progress struct {
	// Phase says what is computed before the first update, such as "latent values", or after
	// the last one, such as "upper bound by grids"; "" for an update. Share is how much of it is
	// done, in [0, 1], or −1 where nobody knows.
	// All other fields are 0 beside a Phase.
	Phase string
	Share float64
	// Episodes is the number of episodes so far, or of trials of a search; Samples is
	// the number of samples, or of beliefs; Steps is the number of steps of all episodes.
	Episodes, Samples, Steps int
	// Quiet is the number of episodes in a row without a new sample. An exploration has
	// converged when Quiet is Patience. Both are 0 for a search.
	Quiet, Patience int
	// Known is the share, in [0, 1], of the steps of the last Patience episodes whose query
	// was known when they were taken; 0 for a search.
	Known float64
	// Horizon is the number of steps after which an episode of an exploration is cut; 0
	// for a search.
	Horizon int
	// Value is the value at the start: the maximum of Q̃ over actions, or the upper
	// bound of a search.
	Value float64
	// Gap is the upper less the lower bound of a search: the largest of those at the
	// model's start and at the search's other starts. The search ends when Gap is at
	// most Epsilon.
	Gap, Epsilon float64
}

// Solution is what a Solver returns.
type Solution struct {
	Solver Solver
	Spec   Spec // of the model
	// Policy is the policy found; the Choice of a run (runs.Of) names the others that were tried. If the
	// model has a Spec.Horizon, it reads the steps left; see ForPolicy.
	Policy Policy
	// Value is the value of Policy at the start, in reward units, as the solver
	// estimates it, or NaN if it does not. A solver that brackets V* gives the lower bound
	// of its Certificate or, if nothing was simulated for one, that of its search, NaN where
	// Certificate.Refuted says that its bounds are false. QMDP gives its values: on a Finite
	// model no policy exceeds them that keeps to the model's list of actions; on a grid they
	// are an estimate, which may lie below V*.
	Value float64
	// Certificate bounds V*, with the reasons for the bounds.
	Certificate Certificate
	// Trace is the progress of the solver. Its last entry is that at the end.
	Trace []Progress
	Stop  stop.Reason
	// InSetUp says that ctx ended the set-up, so that all that is known is what Unfinished
	// says.
	InSetUp bool
	// StandIn says what the Policy is where InSetUp, as the solver has none of its own yet;
	// "" otherwise.
	StandIn string
	// Record is what a solver found that explores with samples, for package runs to read (runs.Of);
	// nil for another solver.
	Record any
}
