package frame

import (
	"fmt"

	"github.com/go-gota/gota/dataframe"

	"bayescpace/bcpace"
)

// Decision returns what a planner has found about each action, one row for each that it has
// compared:
//
//	action
//	u          a column for each axis of its Box: the control, NaN beside another action
//	visits     simulations that took it first
//	Q          the planner's estimate of Q*(s, b, a), NaN where it was not tried
//	chosen
//
// Its Err is an *bcpace.InputError for a decision in another model.
func Decision(spec bcpace.Spec, d bcpace.Decision) dataframe.DataFrame {
	n := len(d.Actions)
	index := make([]int, n)
	control := make([][]float64, n)
	for i, id := range d.Actions {
		if !spec.IsAction(id) || len(d.Visits) != n || len(d.Q) != n {
			return unfit("Decision", fmt.Sprintf("action %d of %d", i, n), fmt.Sprintf("%d, with %d visits and %d values in all", id, len(d.Visits), len(d.Q)), spec)
		}
		index[i], control[i] = spec.Control(nil, id)
	}
	var t table
	t.strings("action", n, func(i int) string { return spec.Actions[index[i]].Name })
	t.controls(spec, func(i int) (int, []float64) { return index[i], control[i] }, n)
	t.ints("visits", n, func(i int) int { return d.Visits[i] })
	t.floats("Q", n, func(i int) float64 { return d.Q[i] })
	t.bools("chosen", n, func(i int) bool { return d.Actions[i] == d.Action })
	return t.frame()
}

// unfit returns the frame of what is not of the model: its Err is an *bcpace.InputError.
func unfit(function, what, got string, spec bcpace.Spec) dataframe.DataFrame {
	want := fmt.Sprintf("one of model %q", spec.Name)
	if spec.Horizon > 0 {
		want += ", with the steps left on an axis: take the Spec of the Solution"
	}
	return dataframe.DataFrame{Err: bcpace.In("frame."+function).Bad(what, got, want)}
}
