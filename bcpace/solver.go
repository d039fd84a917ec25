package bcpace

import (
	"context"
	"fmt"
	"io"
)

// Solver is an algorithm with its parameters: plain data whose zero fields are
// documented defaults, so that JSON can name it. It reads every parameter that it has.
// Package solvers lists the solvers of this module.
type Solver interface {
	// Name is the name of the algorithm, such as "bayes-cpace".
	Name() string
	// Solve looks for a policy of m and, as far as the algorithm can, for bounds of the
	// optimal value. Where ctx ends it, it returns what there is by then, with the
	// reason in Solution.Stop, or the error of ctx where there is nothing yet. Other
	// errors are an *InputError for parameters or a model that cannot be used, an
	// *UnsupportedError for a model that the algorithm cannot solve, and those of a
	// model that contradicts itself.
	Solve(ctx context.Context, m Model, c Control) (*Solution, error)
}

// Control changes how long a Solver takes and what is seen of it, never what it finds.
// The zero value is useful.
type Control struct {
	// Workers is the number of goroutines that work side by side. 0 means one for
	// each processor.
	Workers int
	// Progress, if set, is called after every update from the goroutine that called
	// Solve. It must return quickly.
	Progress func(Progress)
	// Checkpoint, if set, is called like Progress and after it by an Explorer, unless
	// the exploration ends there, with the run so far. What that writes is a run file
	// whose Stop is "", from which Resume goes on. It is to be written before
	// Checkpoint returns, or not at all.
	Checkpoint func(p Progress, soFar io.WriterTo)
}

// Check returns an *InputError for a control that cannot be used.
func (c Control) Check() error {
	if c.Workers < 0 {
		return &InputError{Where: "control", What: "Workers", Got: fmt.Sprint(c.Workers), Want: "a number of goroutines, or 0 for one per processor"}
	}
	return nil
}

// Progress is the state of a solver under way.
type Progress struct {
	// Episodes are those explored so far, or trials of a search; Samples those that
	// count: samples, beliefs; Steps those of all episodes.
	Episodes, Samples, Steps int
	// Quiet is the number of episodes in a row without a new sample, and Patience the
	// one at which an exploration has converged; 0 for a search.
	Quiet, Patience int
	// Value is that at the start: Q̃, the maximum over actions, or the upper bound of
	// a search.
	Value float64
	// Gap is that of a search, upper less lower bound: at the start, or at another
	// one of its starts where it is larger. It ends at Epsilon.
	Gap, Epsilon float64
}

// Solution is what a Solver returns.
type Solution struct {
	Solver Solver
	Spec   Spec // of the model
	// Policy is what was found. Where the model has a Spec.Horizon it reads the steps
	// left; see ForPolicy.
	Policy Policy
	// Value is the value of Policy at the start, in reward units, as the solver
	// estimates it; NaN where it does not. It is the lower bound of a solver that
	// brackets V*.
	Value float64
	// Certificate bounds V*, and says what the bounds rest on.
	Certificate Certificate
	// Trace is the way to the solution. Its last entry is the end.
	Trace []Progress
	Stop  StopReason
	// Run is what was explored; nil for a solver that is no Explorer.
	Run *Run
}

// Explorer is a Solver that explores with samples. Its solutions have a Run, which can
// be saved, read, verified and resumed: ReadRun, Verify and Resume ask the run's
// Explorer.
type Explorer interface {
	Solver
	// Explore is Solve for the Run alone.
	Explore(ctx context.Context, m Model, c Control) (*Run, error)
	// Resume goes on with r, a run of this algorithm, as the function Resume says.
	Resume(ctx context.Context, r *Run, c Control) (*Run, error)
	// Unlimited returns the same solver without the parameters that end an exploration
	// or that matter only after it: with these alone changed, Resume goes on.
	Unlimited() Explorer
	// Describe returns a heading for a run, such as "Bayes-CPACE on", which the model's
	// name follows, and what its parameters have come to.
	Describe(r *Run) (heading string, details []Detail)
	// Plan returns what the parameters come to for a model. The error is that of Solve
	// for them.
	Plan(m Model) (Plan, error)
	// ReadValues makes the values of a run from its samples and from what
	// Values.Bytes wrote.
	ReadValues(r *Run, written []byte) (Values, error)
}

// Detail is a line of a description: a number, a text or another value under a name.
type Detail struct {
	Name  string
	Value any
}

// Explore is what s finds in m, with a zero Control.
//
// A model with a Spec.Horizon that its states do not keep is explored with the
// steps left on one more axis, as FiniteHorizon has them: what is then said of states
// is of such ones, and Run.Model is that model.
//
// What comes out is simulated for Run.Certificate where that is not exact, unless ctx
// has ended.
//
// The errors are those of Solver.Solve.
func Explore(ctx context.Context, m Model, s Explorer) (*Run, error) {
	return s.Explore(ctx, m, Control{})
}

// SolutionOf returns the solution that r is.
func SolutionOf(r *Run) *Solution {
	s := &Solution{Solver: r.Solver, Spec: r.Spec, Policy: r.Policy(), Value: r.Value, Certificate: r.Certificate, Stop: r.Stop, Run: r}
	at := Progress{}
	for _, row := range r.Trace {
		at.Episodes, at.Samples, at.Steps = at.Episodes+1, at.Samples+row.Added, at.Steps+row.Steps
		at.Value, at.Gap = row.Value, row.Gap
		s.Trace = append(s.Trace, at)
	}
	if r.Brackets() {
		for i := range s.Trace {
			s.Trace[i].Epsilon = r.Epsilon()
		}
		s.Value -= at.Gap
		if r.Certificate.Kind != NoCertificate {
			s.Value = r.Certificate.Lower
		}
	}
	return s
}
