package runs

import (
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
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

// Values is what a Run asks its Explorer for. It is for authors of explorers; users ask
// the Run. Implementations are safe for concurrent use.
type Values interface {
	// Query returns the (upper) value of a query, and whether it is known.
	Query(s []float64, b bcpace.Belief, action int) (q float64, known bool)
	// At returns the largest value at (s, b) and the action of Policy there.
	At(s []float64, b bcpace.Belief) (value float64, action int)
	// Upper returns the initial upper bound of a query.
	Upper(s []float64, b bcpace.Belief, action int) float64
	Policy() bcpace.Policy
	LatentValues() bcpace.LatentValues
	// Bytes encodes what a run file holds beside the samples; Explorer.ReadValues
	// reads it.
	Bytes() ([]byte, error)

	// ResumableEpisodes returns how many episodes of a run Resume need not play again.
	ResumableEpisodes(r *Run) (episodes int)
	// UpperAtStart returns an upper bound of the optimal value at the start for a
	// statistical certificate: the largest return if there is no better one. Plan.Assumes
	// names its assumption, and grid is what the bound has for the error of a grid. If ctx
	// ends, it is the best bound that is known without more time, beside the error of ctx.
	UpperAtStart(ctx context.Context, r *Run) (upper, grid float64, err error)
	// Verify checks the values from which the certificate and the policy of r follow. If
	// Plan.Exact, it returns the certificate that follows from them.
	Verify(ctx context.Context, r *Run) (bcpace.Certificate, error)
}

// provingValues are Values that may prove bounds where states are continuous.
type provingValues interface {
	// ProvedAtStart returns bounds of the optimal value at the start that rest on the model alone;
	// −Inf and +Inf where none is known. If ctx ends, or closer ones take longer than its deadline
	// leaves, they are the best ones so far, beside context.Canceled or context.DeadlineExceeded.
	ProvedAtStart(ctx context.Context, r *Run) (lower, upper float64, err error)
}

// Snapshotter is an exploration that has not ended.
type Snapshotter interface {
	// Snapshot returns the present samples, and the state from which Resume continues.
	// It is called between two updates. While no sample comes, the state of an exploration
	// that calls Run.Keep stays the same.
	Snapshot() (samples *Samples, state []byte)
}

// New returns the run of an exploration that begins, without samples and without a
// certificate. It is for authors of explorers, which append to its Trace and set its
// other fields; its samples are those of live, until Finish.
func New(m bcpace.Model, s Explorer, p Plan, v Values, live Snapshotter) *Run {
	spec := m.Spec()
	return &Run{Spec: spec, Solver: s, model: m, plan: p, values: v, live: live, atMost: math.Inf(1), Certificate: solverkit.RangeCertificate(spec)}
}

// Values returns what the run asks for its values. It is for authors of explorers.
func (r *Run) Values() Values { return r.values }

// Keep has a run that New has made keep its state, between two updates: where a later
// episode is cut off, Resume continues from here. Unless it is due, this waits until the
// samples have grown by a share of 1/64 since the last time, so that a sample is copied 65
// times at most, and Resume computes no more than that share again.
func (r *Run) Keep(due bool) {
	if r.state == nil || r.samples < r.Samples.Len() {
		if r.state != nil && !due && r.Samples.Len()-r.samples <= r.Samples.Len()/64 {
			return
		}
		r.Samples, r.state = r.live.Snapshot()
	}
	r.stated, r.samples = len(r.Trace), r.Samples.Len()
}

// Finish ends the exploration of a run that New has made. Its state is the one that it has
// kept last, or without any the present one.
func (r *Run) Finish() {
	if r.state == nil {
		r.Keep(true)
	}
	r.live = nil
}

// State returns the state from which Resume continues, or nil if it is not known.
func (r *Run) State() []byte { return r.state }

// Kept returns how many episodes had been played when State was as it is.
func (r *Run) Kept() (episodes int) { return r.stated }

// Unverified reports whether the run is from a file, and Verify has not seen it.
func (r *Run) Unverified() bool { return r.read }

// SavedState returns the state that a run file holds: State for a checkpoint and for a
// run that a limit has ended, which Resume can continue, and nil otherwise.
func (r *Run) SavedState() []byte {
	if !r.Stop.ByItself() {
		return r.state
	}
	return nil
}
