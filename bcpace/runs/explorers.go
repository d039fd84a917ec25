package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/stop"
)

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
// If the samples do not lead to the values of r, to within the tolerance of its Explorer, other
// code or another kind of processor has made r, and the error says so. If ctx ends before Resume has reached the end of r,
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
	return cmp.Or(
		bcpace.In("Resume").Need(r.Solver.Name() == s.Name(), "the solver", s.Name(), r.Solver.Name()+", as in the run to resume"),
		samePath(r.Solver.Unlimited(), s.Unlimited()))
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
