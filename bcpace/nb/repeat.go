package nb

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
)

// Repeat explores m under the seeds 1 to the given number, with the solver that solver
// makes of each, and averages what the runs cost and the exact values of their policies
// over the given number of steps (0 for no end). Runs come from the store where they are
// in it, as with Explore. An error, such as a model that is not finite, ends the cell.
func Repeat(m bcpace.Model, setting string, seeds, horizon int, solver func(seed uint64) runs.Explorer) eval.Averages {
	var all []*runs.Run
	for seed := range uint64(max(seeds, 0)) {
		all = append(all, Explore(m, solver(seed+1)))
	}
	return Must(eval.AveragesOf(Context(), setting, m, all, eval.ExactOptions{Horizon: horizon}))
}

// Averages is a table of settings, with means and the half widths of their 95 %
// intervals.
func Averages(title string, settings []eval.Averages) Table {
	t := Table{Title: title, Header: []string{"", "samples", "steps", "sweeps", "value"}}
	for _, s := range settings {
		t.Rows = append(t.Rows, []any{s.Setting, s.Samples.Text(0), s.Steps.Text(0), s.Sweeps.Text(0), s.Value.Text(2)})
	}
	return t
}
