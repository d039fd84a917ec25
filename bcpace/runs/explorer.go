package runs

import (
	"context"

	"bayescpace/bcpace"
)

// Explorer is a Solver that explores with samples. Its solutions have a Run, which can
// be saved, read, verified and resumed: Read, Verify and Resume ask the run's
// Explorer.
type Explorer interface {
	bcpace.Solver
	// Explore is Solve for the Run alone; for the one difference in Options, see
	// cpace.Solver.Policy.
	Explore(ctx context.Context, m bcpace.Model, c bcpace.Control) (*Run, error)
	// Resume continues r, a run of this algorithm, as the function Resume says.
	Resume(ctx context.Context, r *Run, c bcpace.Control) (*Run, error)
	// Unlimited returns the same solver without the parameters that end an exploration
	// or that matter only after it: with these alone changed, Resume continues.
	Unlimited() Explorer
	// Describe returns a heading for a run, such as "Bayes-CPACE on", to put before the
	// model's name, and the parameters with their defaults filled in.
	Describe(r *Run) (heading string, details []Detail)
	// Plan returns the parameters with the defaults for a model filled in. An error is
	// the one that Solve returns for them; Solve may also return one that only shows as
	// it computes, as for a certified.Solver.LipQ that is too small.
	Plan(m bcpace.Model) (Plan, error)
	// ReadValues returns the values of a run from its samples and from the bytes that
	// Values.Bytes has returned.
	ReadValues(r *Run, written []byte) (Values, error)
}

// Detail is a line of a description: a number, a text or another value under a name.
type Detail struct {
	Name  string
	Value any
}
