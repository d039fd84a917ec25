package frame

import (
	"fmt"

	"github.com/go-gota/gota/dataframe"

	"bayescpace/bcpace"
)

// SearchTree returns the top of a planner's search tree (bcpace.PolicyAbilities.Nodes), one row for each
// node:
//
//	node, parent   its place in the list, and that of the node before it; −1 at the root
//	depth          steps from the root
//	action         that led here; "" at the root
//	u              a column for each axis of its Box: the control, NaN beside another action
//	P              probability of the node, given that action
//	x              a column for each axis of the state
//	b(φ)           a column for each latent: the belief
//	visits         simulations that came here
//	value, lower, upper
//	best           the best action so far, "" where none was tried; of a Box, with its control
//
// Its Err is an *bcpace.InputError for nodes of another model.
func SearchTree(spec bcpace.Spec, nodes []bcpace.SearchNode) dataframe.DataFrame {
	for i, x := range nodes {
		if len(x.State) != len(spec.Axes) || len(x.Belief) != len(spec.Latents) || x.Action != -1 && !spec.IsAction(x.Action) || x.Best != -1 && !spec.IsAction(x.Best) {
			return unfit("SearchTree", fmt.Sprintf("node %d", i), fmt.Sprintf("at %v, belief %v, after action %d, with best action %d", x.State, x.Belief, x.Action, x.Best), spec)
		}
	}
	n := len(nodes)
	var t table
	t.ints("node", n, func(i int) int { return i })
	t.ints("parent", n, func(i int) int { return nodes[i].Parent })
	t.ints("depth", n, func(i int) int { return nodes[i].Depth })
	t.actions(spec, n, func(i int) int { return nodes[i].Action })
	t.floats("P", n, func(i int) float64 { return nodes[i].Prob })
	t.states(spec.Axes, "", n, func(i, j int) float64 { return nodes[i].State[j] })
	t.beliefs("b", spec.Latents, n, func(i, j int) float64 { return nodes[i].Belief[j] })
	t.ints("visits", n, func(i int) int { return nodes[i].Visits })
	t.floats("value", n, func(i int) float64 { return nodes[i].Value })
	t.floats("lower", n, func(i int) float64 { return nodes[i].Lower })
	t.floats("upper", n, func(i int) float64 { return nodes[i].Upper })
	t.strings("best", n, func(i int) string {
		if nodes[i].Best < 0 {
			return ""
		}
		return spec.ActionName(nodes[i].Best)
	})
	return t.frame()
}
