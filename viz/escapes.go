package viz

import (
	"fmt"

	"bayescpace/bcpace/runs"
)

// Escapes draws how many unknown queries runs have made against the steps they took, on a
// logarithmic axis of steps: once all that a policy reaches is known, its curve is level.
type Escapes struct {
	Title, Subtitle string
	Runs            []EscapesRun // one at least
	References      []Reference  // such as the most samples, k·N
}

// EscapesRun is a run of Bayes-CPACE with its name; "" takes that of its model.
type EscapesRun struct {
	Label string
	Run   *runs.Run
}

// maxEscapesRuns is the most runs that can be told apart by their styles.
const maxEscapesRuns = 7

// Figure adds up the traces of the runs and draws them.
func (e Escapes) Figure() (*Figure, error) {
	where := fmt.Sprintf("viz: Escapes %q", words(e.Title, 40))
	if n := len(e.Runs); n == 0 || n > maxEscapesRuns {
		return nil, fmt.Errorf("%s has %d runs, want 1 to %d", where, n, maxEscapesRuns)
	}
	l := Lines{Title: name(e.Title, "Escapes from the known region"), Subtitle: e.Subtitle, XLabel: "steps", YLabel: "unknown queries so far", LogX: true, References: e.References}
	for i, r := range e.Runs {
		if r.Run == nil || len(r.Run.Trace) == 0 {
			return nil, fmt.Errorf("%s, run %d (%q) has no trace, want a run with one episode at least", where, i, words(r.Label, 40))
		}
		s := Series{Label: label(r.Label, name(r.Run.Spec.Name, fmt.Sprintf("run %d", i+1)))}
		steps, escapes := 0, 0
		for _, t := range r.Run.Trace {
			steps, escapes = steps+t.Steps, escapes+t.Escapes
			s.X, s.Y = append(s.X, float64(steps)), append(s.Y, float64(escapes))
		}
		l.Series = append(l.Series, s)
	}
	return l.Figure()
}
