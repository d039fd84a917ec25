package bracket

import (
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online"
)

// Top implements online.Shower.
func (t *tree) Top(most int) ([]bcpace.SearchNode, error) {
	if len(t.nodes) == 0 {
		return nil, nil
	}
	margin := t.margin()
	return online.Top(most, t.visits, t.follow, func(number int32) bcpace.SearchNode {
		n := &t.nodes[number]
		p := &t.points[n.point]
		shown := bcpace.SearchNode{
			Prob: n.prob, State: slices.Clone(t.state(n.point)), Belief: slices.Clone(t.belief(n.point)),
			Depth: int(n.depth - t.nodes[0].depth), Value: p.lo - margin, Lower: math.Inf(-1), Upper: math.Inf(1), Best: int(p.action),
		}
		if t.source.Bounds() {
			shown.Lower, shown.Upper = p.lo-margin, p.high+margin
		}
		if n.edge != none {
			shown.Action = int(n.edge - t.nodes[t.edges[n.edge].node].first)
		}
		return shown
	}), nil
}

// visits returns how many nodes were expanded from a node on.
func (t *tree) visits(n int32) int {
	first := t.nodes[n].first
	if first == none {
		return 0
	}
	sum := 1
	for _, e := range t.edges[first : first+int32(len(t.spec.Actions))] {
		sum += int(e.expanded)
	}
	return sum
}

// follow appends the nodes that follow a node.
func (t *tree) follow(list []int32, n int32) []int32 {
	first := t.nodes[n].first
	if first == none {
		return list
	}
	for _, e := range t.edges[first : first+int32(len(t.spec.Actions))] {
		for c := e.first; c < e.first+e.children; c++ {
			list = append(list, c)
		}
	}
	return list
}
