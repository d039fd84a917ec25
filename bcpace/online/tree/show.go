package tree

import (
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online"
)

// Show returns the top of the tree, see bcpace.PolicyAbilities.Nodes, without beliefs.
func (t *Tree) Show(most int) []bcpace.SearchNode {
	if len(t.Nodes) == 0 {
		return nil
	}
	return online.Top(most, func(n int32) int { return int(t.Nodes[n].Visits) }, t.follow, func(number int32) bcpace.SearchNode {
		n := &t.Nodes[number]
		shown := bcpace.SearchNode{
			State: slices.Clone(t.State(number)), Depth: int(n.Depth - t.Nodes[0].Depth),
			Value: n.Value, Lower: math.Inf(-1), Upper: math.Inf(1), Best: t.bestAction(n.First),
		}
		if n.Edge != None {
			edge := &t.Edges[n.Edge]
			shown.Action, shown.Prob = edge.Action, float64(n.Visits)/float64(edge.Visits)
		}
		return shown
	})
}

// follow appends the nodes that follow a node and were visited: a simulation that a context
// ended has left one that was not.
func (t *Tree) follow(list []int32, node int32) []int32 {
	for e := t.Nodes[node].First; e != None; e = t.Edges[e].Next {
		for c := t.Edges[e].Child; c != None; c = t.Nodes[c].Sibling {
			if t.Nodes[c].Visits > 0 {
				list = append(list, c)
			}
		}
	}
	return list
}

// bestAction returns the action of the largest Q of the edges that were tried, from e on, the
// first of equal ones; −1 if there is none.
func (t *Tree) bestAction(e int32) int {
	q, action := math.Inf(-1), -1
	for ; e != None; e = t.Edges[e].Next {
		if x := &t.Edges[e]; x.Visits > 0 && x.Q > q {
			q, action = x.Q, x.Action
		}
	}
	return action
}
