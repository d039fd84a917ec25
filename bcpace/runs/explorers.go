package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
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

// explorers has what makes the Explorer of a run file, a maker, by its name.
var explorers sync.Map

type maker = func(parameters []byte, latent bcpace.LatentValues) (Explorer, error)

// firstAlgorithm is the solver of run files that name none: when they were written, there was
// no other.
const firstAlgorithm = "bayes-cpace"

// RegisterExplorer has Read read the runs of an Explorer of that name. Its package
// calls it once, from an init function: a program reads the runs of the explorers that
// it imports. make gets the parameters as JSON, and the latent values that were given to
// Read, nil without.
func RegisterExplorer(name string, make maker) { explorers.Store(name, make) }

// algorithm returns the name of the run's Explorer.
func (h runHeader) algorithm() string {
	if h.Solver != "" {
		return h.Solver
	}
	var o struct{ Algorithm string }
	if json.Unmarshal(h.Options, &o) != nil || o.Algorithm == "" {
		return firstAlgorithm
	}
	return o.Algorithm
}

// explorer makes the run's Explorer.
func (h runHeader) explorer(latent bcpace.LatentValues) (Explorer, error) {
	name := h.algorithm()
	make, ok := explorers.Load(name)
	if !ok {
		return nil, bcpace.In("run file").Bad("its solver", strconv.Quote(name),
			"one whose package this program imports: bayescpace/bcpace/cpace for bayes-cpace, bayescpace/bcpace/certified for certified")
	}
	e, err := make.(maker)(h.Options, latent)
	if err != nil {
		return nil, fmt.Errorf("%w: parameters of %s: %w", ErrFormat, name, err)
	}
	return e, nil
}

// Resume continues an exploration that was interrupted, has spent a budget or was read
// from a checkpoint. It returns the run that Explore(ctx, r.Model(), s) would make, bit
// for bit, and does not change r.
//
// The parameters that only end an exploration, or that matter only after it
// (Explorer.Unlimited), may differ from those of r. To explore further:
//
//	opts := run.Solver.(cpace.Solver)
//	opts.MaxSamples *= 2
//	run, err := runs.Resume(ctx, run, opts)
//
// Resume does not play the episodes of r again. If r ended between two updates, as a
// checkpoint always does, Resume takes as long as adding the samples. If r ended
// elsewhere, the Resume method of its Explorer says what it repeats. If r has spent more
// than a limit of s, the exploration ends where that limit would have ended it.
//
// A run that ended in its set-up (Run.InSetUp) has nothing to go on from: Resume explores
// from the beginning.
//
// If the samples do not lead to the values of r, other code or another kind of processor
// has made r, and the error says so. If ctx ends before Resume has reached the end of r,
// Resume returns a copy of r, with the reason in Stop.
//
// Resume checks the samples and values of r as Verify does, and computes the latent
// values again instead of reading them from the file.
//
// The errors are those of Solver.Solve, an *InputError that names a check that failed,
// and an error that wraps ErrFormat for a run file whose state is damaged.
func Resume(ctx context.Context, r *Run, s Explorer) (*Run, error) {
	return s.Resume(ctx, r, bcpace.Control{})
}

// CheckResume returns an *InputError if s cannot continue r: the two may differ only in
// parameters that end an exploration. It is for authors of explorers.
func CheckResume(r *Run, s Explorer) error {
	if r == nil {
		return bcpace.In("Resume").Bad("the run", "nil", "a run")
	}
	if r.Solver.Name() != s.Name() {
		return bcpace.In("Resume").Bad("the solver", s.Name(), r.Solver.Name()+", as in the run to resume")
	}
	return samePath(r.Solver.Unlimited(), s.Unlimited())
}

// Ended returns a copy of r whose Stop says how ctx has ended.
func (r *Run) Ended(ctx context.Context) *Run {
	c := *r
	c.Stop = stop.Of(ctx)
	return &c
}

// samePath returns an error that names the first parameter in which two solvers differ.
func samePath(was, is Explorer) error {
	x, y := reflect.ValueOf(was), reflect.ValueOf(is)
	for i := range x.NumField() {
		name := x.Type().Field(i).Name
		a, b := x.Field(i), y.Field(i)
		if a.Kind() == reflect.Interface { // latent values, which may be a function
			if a.IsNil() != b.IsNil() {
				return bcpace.In("options").Bad(name, "given to one of the two runs only", "the same as in the run to resume")
			}
			continue
		}
		if a.Kind() == reflect.Slice && a.Len() == 0 && b.Len() == 0 { // nil and empty
			continue
		}
		if !reflect.DeepEqual(a.Interface(), b.Interface()) {
			return bcpace.In("options").Bad(name, optionText(b), optionText(a)+", as in the run to resume")
		}
	}
	return nil
}

// optionText writes the value of an option, with quotation marks around a text.
func optionText(x reflect.Value) string {
	if x.Kind() == reflect.String {
		return strconv.Quote(x.String())
	}
	return fmt.Sprint(x)
}

// Contradicted returns the error of a run that does not agree with what its samples
// lead to.
func Contradicted(format string, args ...any) error {
	return fmt.Errorf("the run cannot be resumed: %s; other code or another kind of processor has made it: explore from the beginning", fmt.Sprintf(format, args...))
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
	// It is called between two updates.
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

// Finish ends the exploration of a run that New has made.
func (r *Run) Finish() {
	r.Samples, r.state = r.live.Snapshot()
	r.live = nil
}

// State returns the state that the Snapshotter of a run gave at its end or in a
// checkpoint, or nil if it is not known.
func (r *Run) State() []byte { return r.state }

// DropState has a run that New has made forget its state: Resume plays it again.
func (r *Run) DropState() { r.state = nil }

// Unverified reports whether the run is from a file, and Verify has not seen it.
func (r *Run) Unverified() bool { return r.read }

// SavedState returns the state that a run file holds: State for a checkpoint and for a
// search that a limit has ended, which Resume can continue, and nil otherwise.
func (r *Run) SavedState() []byte {
	if r.Stop == "" || r.Brackets() && !r.Stop.ByItself() {
		return r.state
	}
	return nil
}
