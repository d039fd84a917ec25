package despot

import (
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/tree"
)

// Top implements online.Shower: probabilities are shares of the scenarios, visits are trials,
// and values are ℓ of a scenario. Beliefs are exact.
func (x *search) Top(most int) ([]bcpace.SearchNode, error) {
	if len(x.Nodes) == 0 {
		return nil, nil
	}
	nodes := online.Top(most, x.Visits, x.Follow, func(number int32) bcpace.SearchNode {
		n := &x.Nodes[number]
		shown := bcpace.SearchNode{
			State: slices.Clone(x.State(number)), Depth: int(n.Depth),
			Value: n.Lo / x.Weight(number), Lower: math.Inf(-1), Upper: math.Inf(1), Best: x.Best(number),
		}
		if n.Edge != tree.None {
			from := x.Edges[n.Edge].Node
			shown.Action, shown.Prob = int(n.Edge-x.Nodes[from].First), float64(x.Count(number))/float64(x.Count(from))
		}
		return shown
	})
	return nodes, online.UpdateBeliefs(nodes, x.bayes, x.belief)
}
