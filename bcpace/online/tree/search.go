package tree

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

// StateSource has the states of the simulations of MonteCarlo: it draws what is hidden from the belief at the root, and moves it.
// What is hidden is a latent of a list, a vector, or a cloud of them.
type StateSource interface {
	// Begin begins a simulation at the root. The error may be that of ctx.
	Begin(ctx context.Context, rng *rand.Rand) error
	// Step takes the action of an edge at a node. next, done and reward are what follows: next is a view that holds until the next
	// call. Where it is not fresh, the simulation goes on to a node that is there already, whatever next is.
	Step(node, edge int32, fresh bool, rng *rand.Rand) (next []float64, reward float64, done bool)
	// Arrive comes to a node by an edge: one that was added, or one that is not what the step led to unless it is fresh. It
	// reports whether the episode ends there. Otherwise so many steps are left, and a next one follows unless the node was added or
	// none is left.
	Arrive(edge, to int32, left int, fresh, added bool, rng *rand.Rand) (done bool, err error)
	// Leaf returns what is earned from a node that was added, in so many steps. The error may be that of ctx.
	Leaf(ctx context.Context, node int32, left int, rng *rand.Rand) (earned float64, err error)
}

// MonteCarlo is Monte-Carlo tree search by UCB1, with progressive widening where there is some: POMCP, POMCPOW and trees of particle
// filters, which differ by their Source.
type MonteCarlo struct {
	Tree
	Source      StateSource
	Spec        bcpace.Spec
	Exploration float64 // c of UCB1, in reward units
	Depth       int     // most steps of a simulation

	// What follows an action is a node of its own for Every next state, for Width of them or, where that is 0, for as many as
	// States says; and so are Actions for controls, where Control draws one for a node. Control is nil for a list of actions.
	Every           bool
	Width           int32
	States, Actions Widening
	Control         func(node int32, rng *rand.Rand) (action int)
	// Redraws says that a step to a state that has a node already goes on in any of those that follow the edge, as in one that is not fresh.
	Redraws bool

	Path Descent
}

// NewMonteCarlo returns a search in an empty tree of states of so many numbers, with so many beside each, to that depth or, if it is
// 0, the default one. exploration is c of UCB1, in reward units; 0 means the range of rewards.
func NewMonteCarlo(spec bcpace.Spec, numbers, notes, depth int, exploration float64) MonteCarlo {
	t := MonteCarlo{Tree: *New(numbers, notes), Spec: spec, Exploration: cmp.Or(exploration, spec.RewardMax-spec.RewardMin), Depth: cmp.Or(depth, solverkit.SearchDepth(spec))}
	if spec.HasBox() {
		t.Control = func(_ int32, rng *rand.Rand) int { return spec.DrawAction(rng) }
	}
	return t
}

// Simulate implements online.Search.
func (t *MonteCarlo) Simulate(ctx context.Context, rng *rand.Rand) (more bool, err error) {
	source := t.Source
	t.Path.Clear()
	if err := source.Begin(ctx, rng); err != nil {
		return false, err
	}
	for node, left := int32(0), t.Depth; ; {
		if t.Nodes[node].First == None || t.Control != nil {
			t.widen(node, rng)
		}
		e := t.Choose(node, t.Exploration, rng)
		fresh := t.Every || t.room(e)
		next, reward, done := source.Step(node, e, fresh, rng)
		t.Path.Add(e, reward)
		to, added := int32(None), false
		if fresh {
			if to, added = t.Follow(e, next, done); !t.Every {
				t.Edges[e].Draws++
				t.Nodes[to].Draws++
			}
		}
		if !fresh || t.Redraws && !added {
			to = t.drawChild(e, rng)
		}
		left--
		if done, err = source.Arrive(e, to, left, fresh, added, rng); err != nil {
			return false, err
		}
		if added || done || left <= 0 {
			earned := 0.0
			if !done && left > 0 {
				if earned, err = source.Leaf(ctx, to, left, rng); err != nil {
					return false, err
				}
			}
			t.Backup(&t.Path, to, earned, t.Spec.Discount)
			return true, nil
		}
		node = to
	}
}

// Decide implements online.Search.
func (t *MonteCarlo) Decide(d *bcpace.Decision) { t.Report(d, t.Spec) }

// Widening is progressive widening (Couëtoux et al. 2011, "Continuous upper confidence trees"): after n visits there may be K·n^Alpha
// of something.
type Widening struct{ K, Alpha float64 }

// Room reports whether there may be one more of so many after n visits.
func (w Widening) Room(number, n int32) bool {
	return float64(number) <= w.K*math.Pow(float64(n), w.Alpha)
}

// Or returns w, with defaults for what is 0.
func (w Widening) Or(k, alpha float64) Widening {
	w.K = cmp.Or(w.K, k)
	w.Alpha = cmp.Or(w.Alpha, alpha)
	return w
}

// Check returns a *bcpace.InputError for a widening that cannot be used; name is that of its fields.
func (w Widening) Check(name string) error {
	need := bcpace.In("options").Need
	return cmp.Or(
		need(w.K >= 0 && !math.IsInf(w.K, 1), name+"K", w.K, "a number above 0, or 0 for the default"),
		need(w.Alpha >= 0 && w.Alpha < 1, name+"Alpha", w.Alpha, "a power in (0, 1), or 0 for the default"))
}

// widen gives a node the actions that it may have: all of a list, which it has not yet, and where an action has a Box, more and more controls.
func (t *MonteCarlo) widen(node int32, rng *rand.Rand) {
	n := &t.Nodes[node]
	switch {
	case t.Control == nil:
		t.AddEdges(node, len(t.Spec.Actions))
	case n.First == None || t.Actions.Room(n.Edges, n.Visits):
		id := t.Control(node, rng)
		for e := n.First; e != None; e = t.Edges[e].Next {
			if t.Edges[e].Action == id {
				return
			}
		}
		t.AddEdge(node, id)
	}
}

// room reports whether one more node may follow an edge, where not Every next state has one.
func (t *MonteCarlo) room(edge int32) bool {
	e := &t.Edges[edge]
	if t.Width > 0 {
		return e.Draws < t.Width
	}
	return t.States.Room(e.Children, e.Visits)
}

// drawChild returns one of the nodes that follow an edge, as often as steps led there.
func (t *MonteCarlo) drawChild(edge int32, rng *rand.Rand) int32 {
	k := rng.Int32N(t.Edges[edge].Draws)
	c := t.Edges[edge].Child
	for ; k >= t.Nodes[c].Draws; c = t.Nodes[c].Sibling {
		k -= t.Nodes[c].Draws
	}
	return c
}

// Systematic calls draw for n draws at equal distances of the weights, which sum to 1, from u in [0, 1) on: draw i is of number k, each of which
// is drawn as often as its weight says, up to one more or less.
func Systematic(n int, u float64, weight []float64, draw func(i, k int)) {
	k, sum := 0, weight[0]
	for i := range n {
		for (float64(i)+u)/float64(n) >= sum && k < len(weight)-1 {
			k++
			sum += weight[k]
		}
		for weight[k] == 0 { // by rounding at the end
			k--
		}
		draw(i, k)
	}
}

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
		before := rng.IntN(untried)
		for e := n.First; ; e = t.Edges[e].Next {
			if t.Edges[e].Visits > 0 {
				continue
			}
			if before == 0 {
				return e
			}
			before--
		}
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
