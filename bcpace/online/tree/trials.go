package tree

import (
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
)

// aim is ξ: a trial aims at a gap at the root of that share of the present one (Ye et al.
// 2017, Section 6).
const aim = 0.95

// TrialNode is a node b of Trials. Its bounds and values are weighted by γ^Depth·Share.
type TrialNode struct {
	Mu, Lo float64 // of ν(b)
	Base   float64 // ℓ0(b): what a default policy earns
	Upper  float64 // of its value without Price
	Share  float64 // of the root's scenarios or particles that come here, in (0, 1]
	Edge   int32   // that led here; None at the root
	First  int32   // its edges are First, First+1, … by action; None for a leaf
	Depth  int32   // Δ(b)
	Action int32   // of the default policy
}

// TrialEdge is an action at a node of Trials.
type TrialEdge struct {
	Reward          float64 // ρ(b,a), weighted as the node is, less Price
	Node            int32
	First, Children int32 // what follows: the nodes First, First+1, …
	Tried           int32 // trials that went by
}

// Trials is the tree of a decision by heuristic search in trials between bounds, as DESPOT (Ye, Somani,
// Hsu and Lee 2017) and AdaOPS (Wu et al. 2021) do it: a trial goes down a tree of actions and of what
// follows them, by the largest upper bound and the largest excess of a gap, expands the leaves
// that it comes to, and backs up. Its callers say what a node is, and what follows it.
type Trials struct {
	Nodes   []TrialNode // the root first
	Edges   []TrialEdge
	Actions int     // at each node
	Price   float64 // λ: of a node of the policy's tree, in reward units
	Deepest int32
}

// Clear removes all nodes.
func (t *Trials) Clear() { t.Nodes, t.Edges, t.Deepest = t.Nodes[:0], t.Edges[:0], 0 }

// AddLeaf adds a node that has no edges, with the mean values base of a default policy and upper, which it
// weighs by weight = γ^Depth·Share. last says that nothing is looked at beyond it.
func (t *Trials) AddLeaf(n TrialNode, weight, base, upper float64, last bool) {
	n.Base, n.First = weight*base, None
	n.Upper = weight * max(base, upper)
	n.Lo, n.Mu = n.Base, max(n.Base, n.Upper-t.Price)
	if last {
		n.Mu = n.Lo
	}
	t.Nodes = append(t.Nodes, n)
	t.Deepest = max(t.Deepest, n.Depth)
}

// Trial does a trial. expand gives a leaf an edge for each action, in their order, and adds the nodes that
// follow them; where it has an error, the leaf is left as it was. more is false where the bounds of the root have met.
func (t *Trials) Trial(expand func(n int32) error) (more bool, err error) {
	root := &t.Nodes[0]
	target := aim * (root.Mu - root.Lo)
	n := int32(0)
	for {
		if t.Nodes[n].First == None {
			if t.prune(n) {
				break
			}
			if err := t.expand(n, expand); err != nil {
				return false, err
			}
			t.backup(n)
		}
		e := t.promising(n)
		t.Edges[e].Tried++
		next, top := int32(None), 0.0
		for c := t.Edges[e].First; c < t.Edges[e].First+t.Edges[e].Children; c++ {
			if excess := t.Nodes[c].Mu - t.Nodes[c].Lo - t.Nodes[c].Share*target; excess > top {
				next, top = c, excess
			}
		}
		if next == None {
			break
		}
		n = next
	}
	for ; ; n = t.Edges[t.Nodes[n].Edge].Node {
		t.backup(n)
		if t.Nodes[n].Edge == None {
			break
		}
	}
	return t.Nodes[0].Mu-t.Nodes[0].Lo > 1e-9*math.Abs(t.Nodes[0].Mu), nil
}

// expand gives a leaf its edges.
func (t *Trials) expand(n int32, expand func(n int32) error) error {
	nodes, edges, deepest := len(t.Nodes), len(t.Edges), t.Deepest
	if err := expand(n); err != nil {
		t.Nodes, t.Edges, t.Deepest = t.Nodes[:nodes], t.Edges[:edges], deepest
		return err
	}
	t.Nodes[n].First = int32(edges)
	return nil
}

// edgesOf returns the edges of a node, none of a leaf.
func (t *Trials) edgesOf(n int32) []TrialEdge {
	first := t.Nodes[n].First
	if first == None {
		return nil
	}
	return t.Edges[first : first+int32(t.Actions)]
}

// promising returns the edge of an inner node with the largest μ.
func (t *Trials) promising(n int32) int32 {
	edges := t.edgesOf(n)
	_, best := num.Largest(len(edges), func(a int) float64 {
		_, mu := t.bounds(&edges[a])
		return mu
	})
	return t.Nodes[n].First + int32(best)
}

// bounds returns those of ρ(b,a) + Σ ν(b').
func (t *Trials) bounds(e *TrialEdge) (lo, mu float64) {
	lo, mu = e.Reward, e.Reward
	for c := e.First; c < e.First+e.Children; c++ {
		lo += t.Nodes[c].Lo
		mu += t.Nodes[c].Mu
	}
	return lo, mu
}

// prune takes the default policy at a leaf if its way from some node above costs more, at Price a
// node, than can be gained there; and reports whether it does.
func (t *Trials) prune(n int32) bool {
	for above, nodes := n, 0.0; t.Price > 0; nodes++ {
		b := &t.Nodes[above]
		if b.Upper-b.Base <= t.Price*nodes {
			t.Nodes[n].Mu, t.Nodes[n].Lo = t.Nodes[n].Base, t.Nodes[n].Base
			return true
		}
		if b.Edge == None {
			break
		}
		above = t.Edges[b.Edge].Node
	}
	return false
}

// backup sets the bounds of a node from its edges.
func (t *Trials) backup(n int32) {
	b := &t.Nodes[n]
	if b.First == None {
		return
	}
	lo, mu := b.Base, b.Base
	for _, e := range t.edgesOf(n) {
		l, u := t.bounds(&e)
		lo, mu = max(lo, l), max(mu, u)
	}
	b.Lo, b.Mu = max(b.Lo, lo), min(b.Mu, mu)
}

// Best returns the action of the largest lower bound at a node, or that of the default policy where that
// earns more.
func (t *Trials) Best(n int32) (action int) {
	b := &t.Nodes[n]
	action, top := int(b.Action), b.Base
	for a, e := range t.edgesOf(n) {
		if lo, _ := t.bounds(&e); lo > top {
			action, top = a, lo
		}
	}
	return action
}

// Decide sets a decision: Q has the lower bounds of the actions, and the default policy's action is
// taken where that earns more.
func (t *Trials) Decide(d *bcpace.Decision) {
	d.Action = 0
	if len(t.Nodes) == 0 {
		return
	}
	d.Action, d.Depth = t.Best(0), int(t.Deepest)
	for a, e := range t.edgesOf(0) {
		lo, _ := t.bounds(&e)
		d.Actions, d.Q, d.Visits = append(d.Actions, a), append(d.Q, lo), append(d.Visits, int(e.Tried))
	}
}

// Visits returns how many trials went on from a node.
func (t *Trials) Visits(n int32) (sum int) {
	for _, e := range t.edgesOf(n) {
		sum += int(e.Tried)
	}
	return sum
}

// Follow appends the nodes that follow a node.
func (t *Trials) Follow(list []int32, n int32) []int32 {
	for _, e := range t.edgesOf(n) {
		for c := e.First; c < e.First+e.Children; c++ {
			list = append(list, c)
		}
	}
	return list
}
