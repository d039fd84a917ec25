// Package tree is the search tree that online planners share: histories after a state and
// belief, in flat arrays.
//
// A node stands for a history: the actions and states since the root. All that is observed is
// part of the state, so what follows an action is a next state, and the belief of a node
// follows from its history. An edge is an action taken at a node.
//
//	Node  --Edge (action)-->  Node (next state)  --Edge-->  …
//
// Nodes and edges are named by their numbers, −1 for none. A Tree allocates nothing once it has
// grown to the size that it needs.
package tree

import (
	"math"
	"slices"

	"bayescpace/bcpace"
)

// None is the number of no node and of no edge.
const None = -1

// Node is a history.
type Node struct {
	Value   float64 // estimate of the value of the node, in reward units
	leaf    float64 // mean of what was earned behind it while it had no edges
	Edge    int32   // that led here; None at the root
	First   int32   // edge of the node; None if it has none yet
	Sibling int32   // the node that followed the same edge and was added before it; None for the first
	Visits  int32   // simulations that came by
	Depth   int32   // steps since the tree began, those before the root included
	Edges   int32   // number of edges
	Draws   int32   // for a planner that draws among the nodes it has: how often a step led here
	Done    bool    // the episode ends in it
}

// Edge is an action taken at a node.
type Edge struct {
	Q        float64 // estimate of its value, in reward units
	Reward   float64 // mean reward, in reward units
	sum      float64 // of Value times Visits over the nodes that follow
	Action   int     // its id
	Node     int32   // where it was taken
	Next     int32   // the next edge of the same node; None for the last
	Visits   int32   // simulations that took it
	Child    int32   // the node that was added last of those that follow; None without
	Children int32   // number of nodes that follow
	Draws    int32   // sum of the Draws of these
}

// Tree is a search tree. The zero value is not of use: see New. It is for one goroutine.
type Tree struct {
	// Nodes begin with the root, if there is one.
	Nodes []Node
	Edges []Edge
	// Deepest is the largest Depth of a node.
	Deepest int32
	// Least is, by node, what its value is at least, for a planner that knows that; nodes beyond its end have no such number.
	Least []float64

	axes   int
	stride int       // axes, and the numbers that are noted beside a state
	states []float64 // by node: stride numbers
	table  []int32   // open addressing: number of a node + 1, or 0

	// Room for Advance.
	spare       []Node
	spareEdges  []Edge
	spareStates []float64
}

// New returns an empty tree for states of so many axes, and with so many numbers beside each.
func New(axes, notes int) *Tree {
	return &Tree{axes: axes, stride: axes + notes, table: make([]int32, 256)}
}

// Reset makes t a root at state s alone.
func (t *Tree) Reset(s []float64) {
	t.Forget()
	t.add(Node{Edge: None, First: None, Sibling: None}, s)
}

// add appends a node.
func (t *Tree) add(n Node, s []float64) {
	t.Nodes, t.states = append(t.Nodes, n), append(t.states, s...)
	for range t.stride - t.axes {
		t.states = append(t.states, 0)
	}
}

// Forget removes all nodes.
func (t *Tree) Forget() {
	if len(t.Nodes) > 0 {
		clear(t.table)
	}
	t.Nodes, t.Edges, t.states, t.Deepest, t.Least = t.Nodes[:0], t.Edges[:0], t.states[:0], 0, t.Least[:0]
}

// State returns the state of a node, a view that holds until a node is added.
func (t *Tree) State(node int32) []float64 { return t.row(node)[:t.axes:t.axes] }

// Notes returns the numbers beside the state of a node, a view that holds until a node is
// added. They are 0 at first.
func (t *Tree) Notes(node int32) []float64 { return t.row(node)[t.axes:] }

// row returns state and notes of a node.
func (t *Tree) row(node int32) []float64 {
	i := int(node) * t.stride
	return t.states[i : i+t.stride : i+t.stride]
}

// Height returns the number of steps from the root to the deepest node.
func (t *Tree) Height() int {
	if len(t.Nodes) == 0 {
		return 0
	}
	return int(t.Deepest - t.Nodes[0].Depth)
}

// AddEdge adds the action of that id to a node, behind its other edges.
func (t *Tree) AddEdge(node int32, action int) (edge int32) {
	edge = int32(len(t.Edges))
	t.Edges = append(t.Edges, Edge{Action: action, Node: node, Next: None, Child: None})
	n := &t.Nodes[node]
	n.Edges++
	if n.First == None {
		n.First = edge
		return edge
	}
	last := n.First
	for t.Edges[last].Next != None {
		last = t.Edges[last].Next
	}
	t.Edges[last].Next = edge
	return edge
}

// AddEdges gives a node without edges the actions 0 to actions−1, whose edges have numbers in
// a row.
func (t *Tree) AddEdges(node int32, actions int) {
	first := int32(len(t.Edges))
	for a := range actions {
		t.Edges = append(t.Edges, Edge{Action: a, Node: node, Next: first + int32(a) + 1, Child: None})
	}
	t.Edges[len(t.Edges)-1].Next = None
	t.Nodes[node].First, t.Nodes[node].Edges = first, int32(actions)
}

// Find returns the node of state s that follows an edge; None if there is none.
func (t *Tree) Find(edge int32, s []float64) (node int32) {
	node, _ = t.find(edge, s)
	return node
}

// find returns what Find does, and the place in the table where it stands or belongs.
func (t *Tree) find(edge int32, s []float64) (node int32, slot int) {
	mask := len(t.table) - 1
	for slot = int(hash(edge, s)) & mask; t.table[slot] != 0; slot = (slot + 1) & mask {
		if node = t.table[slot] - 1; t.Nodes[node].Edge == edge && slices.Equal(t.State(node), s) {
			return node, slot
		}
	}
	return None, slot
}

// Follow returns the node of state s that follows an edge, which it adds if it is not there;
// done says that the episode ends in s.
func (t *Tree) Follow(edge int32, s []float64, done bool) (node int32, added bool) {
	node, slot := t.find(edge, s)
	if node != None {
		return node, false
	}
	e := &t.Edges[edge]
	node = int32(len(t.Nodes))
	n := Node{Edge: edge, First: None, Sibling: e.Child, Depth: t.Nodes[e.Node].Depth + 1, Done: done}
	t.add(n, s)
	t.Deepest = max(t.Deepest, n.Depth)
	e.Child = node
	e.Children++
	if t.table[slot] = node + 1; 2*len(t.Nodes) > len(t.table) {
		t.table = make([]int32, 2*len(t.table))
		t.fill()
	}
	return node, true
}

// fill puts all nodes but the root into an empty table.
func (t *Tree) fill() {
	for node := int32(1); int(node) < len(t.Nodes); node++ {
		_, slot := t.find(t.Nodes[node].Edge, t.State(node))
		t.table[slot] = node + 1
	}
}

// Advance makes the node that follows the root by an action and state s the root, and removes
// all that is not below it, and Least. Without such a node it removes everything.
func (t *Tree) Advance(action int, s []float64) {
	root := t.after(action, s)
	if root == None {
		t.Forget()
		return
	}
	nodes, edges, states := t.spare[:0], t.spareEdges[:0], t.spareStates[:0]
	from := t.Nodes[root] // nodes are copied level by level, with numbers of old ones to be replaced
	from.Edge, from.Sibling = None, None
	nodes, states = append(nodes, from), append(states, t.row(root)...)
	t.Deepest = from.Depth
	for i := 0; i < len(nodes); i++ {
		old := nodes[i].First
		if old != None {
			nodes[i].First = int32(len(edges))
		}
		for ; old != None; old = t.Edges[old].Next {
			e := t.Edges[old]
			number := int32(len(edges))
			e.Node = int32(i)
			if e.Next != None {
				e.Next = number + 1
			}
			e.Child = None
			first := len(nodes)
			for c := t.Edges[old].Child; c != None; c = t.Nodes[c].Sibling {
				n := t.Nodes[c]
				n.Edge = number
				if e.Child == None {
					e.Child = int32(first)
				}
				n.Sibling = int32(len(nodes)) + 1
				nodes, states = append(nodes, n), append(states, t.row(c)...)
				t.Deepest = max(t.Deepest, n.Depth)
			}
			if len(nodes) > first {
				nodes[len(nodes)-1].Sibling = None
			}
			edges = append(edges, e)
		}
	}
	t.Nodes, t.spare = nodes, t.Nodes
	t.Edges, t.spareEdges = edges, t.Edges
	t.states, t.spareStates = states, t.states
	t.Least = t.Least[:0]
	clear(t.table)
	t.fill()
}

// after returns the node that follows the root by an action and a state.
func (t *Tree) after(action int, s []float64) int32 {
	if len(t.Nodes) == 0 {
		return None
	}
	for e := t.Nodes[0].First; e != None; e = t.Edges[e].Next {
		if t.Edges[e].Action == action {
			return t.Find(e, s)
		}
	}
	return None
}

// hash mixes the number of an edge and a state; 0 and −0 are equal.
func hash(edge int32, s []float64) uint64 {
	const odd = 0x9e3779b97f4a7c15 // 2⁶⁴ over the golden ratio (Knuth, The Art of Computer Programming, 6.4)
	h := uint64(uint32(edge)+1) * odd
	for _, x := range s {
		h ^= math.Float64bits(x + 0) // −0 + 0 is 0
		h *= odd
		h ^= h >> 32
	}
	return h ^ h>>29
}

// At reports whether the root is at state s.
func (t *Tree) At(s []float64) bool { return len(t.Nodes) > 0 && slices.Equal(t.State(0), s) }

// Report fills a decision with what the edges of the root say: the action of the largest mean
// return, the first of equal ones; without any simulation the first action, at the middle of
// its Box if it has one.
func (t *Tree) Report(d *bcpace.Decision, spec bcpace.Spec) {
	d.Depth = t.Height()
	first := int32(None)
	if len(t.Nodes) > 0 {
		first = t.Nodes[0].First
	}
	for e := first; e != None; e = t.Edges[e].Next {
		x := &t.Edges[e]
		q := x.Q
		if x.Visits == 0 {
			q = math.NaN()
		}
		d.Actions, d.Q, d.Visits = append(d.Actions, x.Action), append(d.Q, q), append(d.Visits, int(x.Visits))
	}
	if d.Action = t.bestAction(first); d.Action < 0 {
		d.Action = anyAction(spec)
	}
}

// anyAction returns the first action, at the middle of its Box.
func anyAction(spec bcpace.Spec) int {
	var middle []float64
	for _, a := range spec.Actions[0].Box {
		middle = append(middle, a.Min/2+a.Max/2)
	}
	id, _ := spec.ActionID(0, middle) // which is in the Box
	return id
}
