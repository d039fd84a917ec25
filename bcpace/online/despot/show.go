package despot

import (
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online"
)

// Top implements online.Shower: probabilities are shares of the scenarios, visits are trials,
// and values are ℓ of a scenario. Beliefs are exact.
func (x *search) Top(most int) ([]bcpace.SearchNode, error) {
	if len(x.nodes) == 0 {
		return nil, nil
	}
	nodes := online.Top(most, x.trials, x.follow, func(number int32) bcpace.SearchNode {
		n := &x.nodes[number]
		weight := math.Pow(x.spec.Discount, float64(n.depth)) * float64(n.count) / float64(x.solver.Scenarios)
		shown := bcpace.SearchNode{
			State: slices.Clone(x.state(number)), Depth: int(n.depth),
			Value: n.lo / weight, Lower: math.Inf(-1), Upper: math.Inf(1), Best: x.best(number),
		}
		if n.edge != none {
			from := x.edges[n.edge].node
			shown.Action, shown.Prob = int(n.edge-x.nodes[from].first), float64(n.count)/float64(x.nodes[from].count)
		}
		return shown
	})
	return nodes, online.UpdateBeliefs(nodes, bcpace.NewBayes(x.model), x.belief)
}

// trials returns how many trials went on from a node.
func (x *search) trials(n int32) int {
	first, sum := x.nodes[n].first, 0
	if first == none {
		return 0
	}
	for _, e := range x.edges[first : first+int32(len(x.spec.Actions))] {
		sum += int(e.tried)
	}
	return sum
}

// follow appends the nodes that follow a node.
func (x *search) follow(list []int32, n int32) []int32 {
	first := x.nodes[n].first
	if first == none {
		return list
	}
	for _, e := range x.edges[first : first+int32(len(x.spec.Actions))] {
		for c := e.first; c < e.first+e.children; c++ {
			list = append(list, c)
		}
	}
	return list
}

// best returns the action of the largest ℓ at a node, or that of the default policy where that
// earns more.
func (x *search) best(n int32) (action int) {
	b := &x.nodes[n]
	action = int(b.action)
	if b.first == none {
		return action
	}
	top := b.base
	for a := range x.spec.Actions {
		if lo, _ := x.bounds(b.first + int32(a)); lo > top {
			action, top = a, lo
		}
	}
	return action
}
