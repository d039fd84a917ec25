package bcpace

import (
	"context"
	"io"
	"math"
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
	// contract only after something was found, an Explorer returns that with StopFault,
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
	// Rollouts, if set, has the rollouts of Options.Batch played by whom it likes, such as
	// workers on other machines: it hands parts of a batch to BatchWorkers, and passes what
	// they return to Batch.Played. When it returns nil, all of the batch has been played. If
	// ctx ends, it returns soon, and the rollouts before the first that is missing count. Any
	// other error ends the exploration. The run is the same bit for bit, whoever plays, as long
	// as the programs are the same. All but the batches is computed in this process.
	//
	// Only Options read it, with a Batch of at least 2; another solver refuses it.
	Rollouts func(ctx context.Context, b *Batch) error
}

// Check returns an *InputError for a control that cannot be used by a solver that has no
// rollouts played elsewhere.
func (c Control) Check() error {
	if err := CheckWorkers("control", "Workers", c.Workers, "goroutines"); err != nil {
		return err
	}
	if c.Rollouts != nil {
		return &InputError{Where: "control", What: "Rollouts", Got: "a function", Want: "none: this solver plays no batches of rollouts, as Options do"}
	}
	return nil
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
	// Policy is the policy found; Run.Choice names the others that were tried. If the
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
	Stop  StopReason
	// InSetUp says that ctx ended the set-up, so that all that is known is what Unfinished
	// says.
	InSetUp bool
	// StandIn says what the Policy is where InSetUp, as the solver has none of its own yet;
	// "" otherwise.
	StandIn string
	// Run is the run of an Explorer; nil for another solver.
	Run *Run
}

// Explorer is a Solver that explores with samples. Its solutions have a Run, which can
// be saved, read, verified and resumed: ReadRun, Verify and Resume ask the run's
// Explorer.
type Explorer interface {
	Solver
	// Explore is Solve for the Run alone; for the one difference in Options, see
	// Options.Policy.
	Explore(ctx context.Context, m Model, c Control) (*Run, error)
	// Resume continues r, a run of this algorithm, as the function Resume says.
	Resume(ctx context.Context, r *Run, c Control) (*Run, error)
	// Unlimited returns the same solver without the parameters that end an exploration
	// or that matter only after it: with these alone changed, Resume continues.
	Unlimited() Explorer
	// Describe returns a heading for a run, such as "Bayes-CPACE on", to put before the
	// model's name, and the parameters with their defaults filled in.
	Describe(r *Run) (heading string, details []Detail)
	// Plan returns the parameters with the defaults for a model filled in. An error is
	// the one that Solve returns for them; Solve may also return one that only shows as
	// it computes, as for a certified.Solver.LipQ that is too small.
	Plan(m Model) (Plan, error)
	// ReadValues returns the values of a run from its samples and from the bytes that
	// Values.Bytes has returned.
	ReadValues(r *Run, written []byte) (Values, error)
}

// Detail is a line of a description: a number, a text or another value under a name.
type Detail struct {
	Name  string
	Value any
}

// Explore returns the run of s on m, with a zero Control.
//
// If m has a Spec.Horizon and is not a HorizonKeeper, Explore puts the steps left on one
// more axis, as FiniteHorizon does. Run.Model is then the model with this axis, and the
// states of the run are its states.
//
// If the certificate is not exact, Explore simulates the policy for it, unless ctx has
// ended.
//
// The errors are those of Solver.Solve. Beside that of a model which breaks its contract
// late, such as one that pays a reward out of range, Explore returns the run so far.
func Explore(ctx context.Context, m Model, s Explorer) (*Run, error) {
	return s.Explore(ctx, m, Control{})
}

// SolutionOf returns the solution that r is.
func SolutionOf(r *Run) *Solution {
	s := &Solution{Solver: r.Solver, Spec: r.Spec, Policy: r.Policy(), Value: r.Value, Certificate: r.Certificate, Stop: r.Stop, InSetUp: r.InSetUp(), StandIn: r.StandIn(), Run: r}
	at := Progress{Horizon: r.Horizon()}
	steps, escapes := 0, 0 // of the last Patience episodes, as Run.known has them
	for i, row := range r.Trace {
		steps, escapes = steps+row.Steps, escapes+row.Escapes
		if i >= r.plan.Patience {
			steps, escapes = steps-r.Trace[i-r.plan.Patience].Steps, escapes-r.Trace[i-r.plan.Patience].Escapes
		}
		at.Known = shareKnown(steps, escapes)
		at.Episodes, at.Samples, at.Steps = at.Episodes+1, at.Samples+row.Added, at.Steps+row.Steps
		at.Value, at.Gap = row.Value, row.Gap
		s.Trace = append(s.Trace, at)
	}
	if r.Brackets() {
		for i := range s.Trace {
			s.Trace[i].Epsilon = r.Epsilon()
		}
		s.Value -= at.Gap
		switch {
		case r.Certificate.Kind != NoCertificate || r.InSetUp():
			s.Value = r.Certificate.Lower
		case r.Certificate.Refuted != "":
			s.Value = math.NaN()
		}
	}
	return s
}
