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
	check := checksOf("Escapes", e.Title)
	if !check.count(len(e.Runs), "runs", maxEscapesRuns) {
		return nil, check.err
	}
	l := Lines{Title: name(e.Title, "Escapes from the known region"), Subtitle: e.Subtitle, XLabel: "steps", YLabel: "unknown queries so far", LogX: true, References: e.References}
	for i, r := range e.Runs {
		if !check.want(r.Run != nil && len(r.Run.Trace) > 0, ", run %d (%q) has no trace, want a run with one episode at least", i, words(r.Label, 40)) {
			return nil, check.err
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
