package online

import (
	"container/heap"
	"slices"

	"bayescpace/bcpace"
)

// TopNode is a node of the top of a tree.
type TopNode struct {
	Number int32 // in the tree
	Parent int   // its place in the list; −1 at the root
}

// Top returns the top of a tree as bcpace.Inspector has it: so many nodes at most, from the
// node of number 0 on. follow appends the numbers of the nodes that follow one, and visits
// returns how often one was visited.
func Top(most int, visits func(node int32) int, follow func(list []int32, node int32) []int32) (top []TopNode) {
	if most <= 0 {
		return nil
	}
	open := frontier{visits: visits, nodes: []TopNode{{0, -1}}}
	var list []int32
	for len(open.nodes) > 0 && len(top) < most {
		n := heap.Pop(&open).(TopNode)
		list = follow(list[:0], n.Number)
		for _, c := range list {
			heap.Push(&open, TopNode{c, len(top)})
		}
		top = append(top, n)
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
	nodes  []TopNode
}

func (f *frontier) Len() int { return len(f.nodes) }

func (f *frontier) Less(i, j int) bool {
	x, y := f.nodes[i].Number, f.nodes[j].Number
	if a, b := f.visits(x), f.visits(y); a != b {
		return a > b
	}
	return x < y
}

func (f *frontier) Swap(i, j int) { f.nodes[i], f.nodes[j] = f.nodes[j], f.nodes[i] }

func (f *frontier) Push(x any) { f.nodes = append(f.nodes, x.(TopNode)) }

func (f *frontier) Pop() any {
	last := len(f.nodes) - 1
	n := f.nodes[last]
	f.nodes = f.nodes[:last]
	return n
}
