package cover

import (
	"cmp"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/fingerprint"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/runs"
)

// Visit says what of the samples of a run Visited returns.
type Visit int

const (
	// Queries are states, beliefs and actions. Those of different actions are infinitely far apart, and a control
	// of a Box counts as coordinates of its own.
	Queries Visit = iota
	// StateBeliefs are states and beliefs, without the actions.
	StateBeliefs
	// States are the states alone, weighted by α.
	States
	// Beliefs are the beliefs alone.
	Beliefs
)

// Visited returns what a run, and others of the same model and α, have visited: a point for each of their samples, run by
// run in the order in which they were added, embedded so that the distance is the paper's with the α of the run. (A run
// samples a query that it visits where its value is not known yet.) The runs of a folder come from store.Store, and those
// of a sweep from sweep.Results.OpenRun.
//
// The error is an *bcpace.InputError for a Visit that is none of the above, and for runs of different models or α, whose
// distances mean different things.
func Visited(r *runs.Run, what Visit, others ...*runs.Run) (*Points, error) {
	bad := bcpace.In("visited points").Bad
	if what < Queries || what > Beliefs {
		return nil, bad("Visit", int(what), "Queries, StateBeliefs, States or Beliefs")
	}
	all := append([]*runs.Run{r}, others...)
	for i, other := range all {
		if other == nil || other.Model() == nil {
			return nil, bad(fmt.Sprintf("run %d", i), "nil", "a run with its model")
		}
	}
	if len(others) > 0 {
		if err := sameDistance(all); err != nil {
			return nil, err
		}
	}
	alpha := cmp.Or(r.Alpha(), 1)
	p := &Points{}
	for _, run := range all {
		p.visit(run.Samples, r.Spec, alpha, what)
	}
	return p, nil
}

// visit adds a point for each sample.
func (p *Points) visit(samples *runs.Samples, spec bcpace.Spec, alpha float64, what Visit) {
	queries, pairs := metric.NewQueries(spec, alpha), metric.New(spec, alpha)
	x, from, to := make([]float64, pairs.Dim()), 0, pairs.Dim()
	p.Periods = pairs.Periods()
	switch axes := pairs.Dim() - len(spec.Latents); what {
	case Queries:
		x, to, p.Periods = make([]float64, queries.Dim()), queries.Dim(), queries.Periods()
	case States:
		to = axes
	case Beliefs:
		from, p.Periods = axes, nil
	}
	if p.Dim = to - from; p.Dim == 0 { // no axis counts in the distance: all states are at 0
		p.Dim, p.Coords = 1, append(p.Coords, make([]float64, samples.Len())...)
		return
	}
	for i := range samples.Len() {
		c := samples.At(i)
		if what == Queries {
			p.Kind = append(p.Kind, int32(queries.Embed(x, c.State, c.Belief, c.Action)))
		} else {
			pairs.Embed(x, c.State, c.Belief)
		}
		p.Coords = append(p.Coords, x[from:to]...)
	}
}

// sameDistance returns an *bcpace.InputError unless the models of the runs do the same and their α are equal.
func sameDistance(all []*runs.Run) error {
	bad, first := bcpace.In("visited points").Bad, ""
	for i, r := range all {
		model, err := fingerprint.Of(r.Model(), nil)
		switch {
		case err != nil:
			return err
		case i == 0:
			first = model
		case model != first:
			return bad(fmt.Sprintf("run %d", i), fmt.Sprintf("of another model (%s) than run 0 (%s), or of other parameters", r.Spec.Name, all[0].Spec.Name), "runs of one model")
		case r.Alpha() != all[0].Alpha():
			return bad(fmt.Sprintf("run %d", i), fmt.Sprintf("of α = %v", r.Alpha()), fmt.Sprintf("%v, as run 0 has", all[0].Alpha()))
		}
	}
	return nil
}
