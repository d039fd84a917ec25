package tree

import (
	"math"
	"math/rand/v2"
)

// Choose returns the edge that UCB1 takes at a node, which has some (Auer, Cesa-Bianchi and
// Fischer 2002; in a tree UCT, Kocsis and Szepesvári 2006): one that was not tried, each with
// equal probability, or else the first of those with the largest
//
//	Q + c·√(ln N / n)
//
// where N counts the visits of the node and n those of the edge. c is in reward units.
func (t *Tree) Choose(node int32, c float64, rng *rand.Rand) (edge int32) {
	n := &t.Nodes[node]
	untried := 0
	for e := n.First; e != None; e = t.Edges[e].Next {
		if t.Edges[e].Visits == 0 {
			untried++
		}
	}
	if untried > 0 {
		return t.untried(n.First, rng.IntN(untried))
	}
	c *= math.Sqrt(math.Log(float64(n.Visits)))
	best := math.Inf(-1)
	for e := n.First; e != None; e = t.Edges[e].Next {
		x := &t.Edges[e]
		if u := x.Q + c/math.Sqrt(float64(x.Visits)); u > best {
			best, edge = u, e
		}
	}
	return edge
}

// untried returns the edge before which so many were not tried, from e on.
func (t *Tree) untried(e int32, before int) int32 {
	for ; ; e = t.Edges[e].Next {
		if t.Edges[e].Visits == 0 {
			if before == 0 {
				return e
			}
			before--
		}
	}
}

// Descent is what a simulation has passed in a tree.
type Descent struct {
	Edges   []int32
	Rewards []float64 // of each
}

// Clear makes the path one of no step.
func (p *Descent) Clear() { p.Edges, p.Rewards = p.Edges[:0], p.Rewards[:0] }

// Add adds a step.
func (p *Descent) Add(edge int32, reward float64) {
	p.Edges, p.Rewards = append(p.Edges, edge), append(p.Rewards, reward)
}

// Backup counts a simulation that took a path to node end, where the tree ends or is left, and
// earned value behind it.
//
// The value of such a node is the mean of what was earned behind it. On the way back to the
// root, as in MaxUCT (Keller and Helmert 2013, "Trial-based heuristic tree search for finite
// horizon MDPs"),
//
//	Q(h,a) = mean reward + γ·mean over the visits of the nodes h' that follow of V(h')
//	V(h)   = max over the actions a that were tried of Q(h,a), of the mean before h had edges while one of
//	         them was not tried, and of Least where that is known
//
// so that what exploring a bad action costs does not spoil the value of the node before it, as
// it does in a mean of returns.
func (t *Tree) Backup(p *Descent, end int32, value, discount float64) {
	n := &t.Nodes[end]
	sum := float64(n.Visits) * n.Value
	if n.count(value); n.First == None {
		n.leaf = n.Value
	}
	sum = float64(n.Visits)*n.Value - sum
	for i := len(p.Edges) - 1; i >= 0; i-- {
		value = p.Rewards[i] + discount*value
		e := &t.Edges[p.Edges[i]]
		e.Visits++
		e.Reward += (p.Rewards[i] - e.Reward) / float64(e.Visits)
		e.sum += sum
		e.Q = e.Reward + discount*e.sum/float64(e.Visits)
		n := &t.Nodes[e.Node]
		sum = float64(n.Visits) * n.Value
		n.Visits++
		if n.Value = t.best(n); int(e.Node) < len(t.Least) {
			n.Value = max(n.Value, t.Least[e.Node])
		}
		sum = float64(n.Visits)*n.Value - sum
	}
}

// BackupMeans is Backup with means of returns, as in UCT: Q(h,a) is the mean of what was earned
// from a on, and V(h) that of what was earned from h on.
func (t *Tree) BackupMeans(p *Descent, end int32, value, discount float64) {
	t.Nodes[end].count(value)
	for i := len(p.Edges) - 1; i >= 0; i-- {
		value = p.Rewards[i] + discount*value
		e := &t.Edges[p.Edges[i]]
		e.Visits++
		e.Reward += (p.Rewards[i] - e.Reward) / float64(e.Visits)
		e.Q += (value - e.Q) / float64(e.Visits)
		t.Nodes[e.Node].count(value)
	}
}

// count makes value one more term of the mean of the node.
func (n *Node) count(value float64) {
	n.Visits++
	n.Value += (value - n.Value) / float64(n.Visits)
}

// best returns the largest Q of the edges of a node. While one of them was not tried, what was earned behind the node
// when it had none counts too: one try of a bad action says little of the node.
func (t *Tree) best(n *Node) float64 {
	q, tried := math.Inf(-1), true
	for e := n.First; e != None; e = t.Edges[e].Next {
		if x := &t.Edges[e]; x.Visits > 0 {
			q = max(q, x.Q)
		} else {
			tried = false
		}
	}
	if !tried {
		q = max(q, n.leaf)
	}
	return q
}
