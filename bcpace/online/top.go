package online

import (
	"container/heap"
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
	open := frontier{visits: visits, nodes: []place{{0, -1}}}
	var list []int32
	for len(open.nodes) > 0 && len(top) < most {
		n := heap.Pop(&open).(place)
		list = follow(list[:0], n.node)
		for _, c := range list {
			heap.Push(&open, place{c, len(top)})
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

// frontier is a heap of the nodes that follow those of the top.
type frontier struct {
	visits func(node int32) int
	nodes  []place
}

// place is where a node of a tree stands in its top.
type place struct {
	node   int32
	parent int // the place in the list of the node before it; −1 at the root
}

func (f *frontier) Len() int { return len(f.nodes) }

func (f *frontier) Less(i, j int) bool {
	x, y := f.nodes[i].node, f.nodes[j].node
	if a, b := f.visits(x), f.visits(y); a != b {
		return a > b
	}
	return x < y
}

func (f *frontier) Swap(i, j int) { f.nodes[i], f.nodes[j] = f.nodes[j], f.nodes[i] }

func (f *frontier) Push(x any) { f.nodes = append(f.nodes, x.(place)) }

func (f *frontier) Pop() any {
	last := len(f.nodes) - 1
	n := f.nodes[last]
	f.nodes = f.nodes[:last]
	return n
}
