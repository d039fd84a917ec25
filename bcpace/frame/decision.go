package frame

import (
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
func Decision(spec bcpace.Spec, d bcpace.Decision) dataframe.DataFrame {
	n := len(d.Actions)
	index := make([]int, n)
	control := make([][]float64, n)
	for i, id := range d.Actions {
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
