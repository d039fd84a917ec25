package frame

import (
	"fmt"
	"math"

	"github.com/go-gota/gota/dataframe"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// HiddenEpisode returns the course of an episode with a hidden vector (hidden.Episode), one row for each step:
//
//	step
//	x              a column for each axis of the state, before the action
//	x (hidden)     a column for each hidden axis: the true value
//	mean(x), deviation(x)
//	               of the belief, before the action
//	effective size of its particles, NaN for another belief
//	action         its name
//	u              a column for each axis of its Box: the control, NaN beside another action
//	reward
//
// Its Err is an *bcpace.InputError for an episode of another model.
func HiddenEpisode(spec hidden.Spec, steps []hidden.Step) dataframe.DataFrame {
	n := len(steps)
	for i, x := range steps {
		if len(x.State) != len(spec.Axes) || len(x.Hidden) != len(spec.Hidden) || len(x.Mean) != len(spec.Hidden) || len(x.Variance) != len(spec.Hidden) || !spec.IsAction(x.Action) {
			return unfit("HiddenEpisode", fmt.Sprintf("step %d", i), fmt.Sprintf("at %v, with the hidden vector %v, a mean of %d and a variance of %d numbers, and action %d", x.State, x.Hidden, len(x.Mean), len(x.Variance), x.Action), bcpace.Spec{Name: spec.Name})
		}
	}
	var t table
	t.ints("step", n, func(i int) int { return i })
	t.states(spec.Axes, "", n, func(i, j int) float64 { return steps[i].State[j] })
	t.states(spec.Hidden, " (hidden)", n, func(i, j int) float64 { return steps[i].Hidden[j] })
	for j, a := range spec.Hidden {
		t.floats("mean("+a.Name+")", n, func(i int) float64 { return steps[i].Mean[j] })
		t.floats("deviation("+a.Name+")", n, func(i int) float64 { return math.Sqrt(steps[i].Variance[j]) })
	}
	t.floats("effective size", n, func(i int) float64 { return steps[i].EffectiveSize })
	t.actions(spec.Spec, n, func(i int) int { return steps[i].Action })
	t.floats("reward", n, func(i int) float64 { return steps[i].Reward })
	return t.frame()
}
