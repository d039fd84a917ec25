package online

import (
	"cmp"
	"slices"

	"bayescpace/bcpace"
)

// Top returns the top of a tree as bcpace.PolicyAbilities.Nodes has it: so many nodes at most, from the
// node of number 0 on. visits returns how often a node was visited, follow appends the numbers
// of the nodes that follow one, and show returns what else there is to say of one: all but its
// Parent and Visits and, of the root, the Action and Prob.
func Top(most int, visits func(node int32) int, follow func(list []int32, node int32) []int32, show func(node int32) bcpace.SearchNode) (top []bcpace.SearchNode) {
	if most <= 0 {
		return nil
	}
	open := []place{{0, -1}} // the nodes that follow those of the top
	var list []int32
	for len(open) > 0 && len(top) < most {
		next := 0
		for i, x := range open {
			if y := open[next]; cmp.Or(cmp.Compare(visits(y.node), visits(x.node)), cmp.Compare(x.node, y.node)) < 0 {
				next = i
			}
		}
		n, last := open[next], len(open)-1
		open[next] = open[last]
		list = follow(list[:0], n.node)
		open = open[:last]
		for _, c := range list {
			open = append(open, place{c, len(top)})
		}
		shown := show(n.node)
		if shown.Parent, shown.Visits = n.parent, visits(n.node); n.parent < 0 {
			shown.Action, shown.Prob = -1, 1
		}
		top = append(top, shown)
	}
	return top
}

// UpdateBeliefs gives nodes the beliefs of the Bayes estimator, from that of the root on.
func UpdateBeliefs(nodes []bcpace.SearchNode, e *bcpace.Bayes, root bcpace.Belief) error {
	for i := range nodes {
		n := &nodes[i]
		if n.Belief = slices.Clone(root); n.Parent < 0 {
			continue
		}
		from := &nodes[n.Parent]
		if err := e.Update(n.Belief, from.Belief, from.State, n.Action, n.State); err != nil {
			return err
		}
	}
	return nil
}

// place is where a node of a tree stands in its top.
type place struct {
	node   int32
	parent int // the place in the list of the node before it; −1 at the root
}
