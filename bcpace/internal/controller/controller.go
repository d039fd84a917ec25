// Package controller writes a policy of a finite model out as a graph, whose values under each latent are bounded.
package controller

import (
	"container/heap"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/sparse"
)

// Controller is a policy as a graph: a node says what to do, and the next state which node follows. A node stands for a
// state and for the beliefs that are closer together than the policy is asked at, and has the action of the policy at the
// first of them, so that the graph is a policy in its own right, whose values are those of a finite Markov chain. A node
// that is not written out is a leaf: the policy that the graph is of goes on there.
type Controller struct {
	model   bcpace.Finite
	latents int
	starts  []start

	nodes []node
	// The edges of node n are first[n] to first[n+1]: to is the node that follows, none where the episode ends there, and
	// next the number of the state. prob and reward are by edge and latent.
	first        []int32
	to, next     []int32
	prob, reward []float64
	// Latents move by moves[n] after node n; nil where they stay.
	moves []*sparse.MoveRows
}

// start is a start state: its number, its node, and P(s|φ).
type start struct {
	state int
	node  int32
	prob  []float64
}

// node is a state and belief. Written-out nodes are numbered in the order of the edges of a Controller, so that inner is their
// number among these, or −1 for a leaf.
type node struct {
	state  int32
	action int32
	inner  int32
	belief []float64
}

const (
	none = -1
	// mostNodes and mostNumbers are how many nodes are written out, and how many probabilities a Controller holds at
	// most: with what solves for its values, some 250 MB.
	mostNodes   = 100_000
	mostNumbers = 5e6
	// mostSweeps bound how long the way to the leaves is followed.
	mostSweeps = 1000
)

// quanta are how far apart beliefs are that have nodes of their own: where too many can be reached, fewer do.
var quanta = []float64{1e-6, 1e-2, 0.05}

// Of writes out a policy of m, which must be a function of state and belief, from the prior of m on. Of graphs with ever fewer nodes for the
// beliefs, it returns the one with the highest score, and looks no further once the discounted probability of leaving a graph is at most least,
// under the prior. The error is the context's, where it ends before there is one, the model's or the policy's.
func Of(ctx context.Context, m bcpace.Finite, p bcpace.Policy, least float64, score func(*Controller) (float64, error)) (*Controller, error) {
	prior := make(bcpace.Belief, len(m.Spec().Latents))
	m.Prior(prior)
	var best *builder
	most, now, leaves := math.Inf(-1), 0.0, 0.0
	look := func(b *builder) (err error) {
		if err = b.grow(ctx, least/16); err == nil {
			now, err = score(b.Controller)
		}
		if err == nil {
			leaves, err = b.leaving(ctx, prior)
		}
		return err
	}
	for _, quantum := range quanta {
		b, err := newBuilder(m, p, quantum)
		if err == nil {
			err = look(b)
		}
		switch {
		case err != nil && best != nil && ctx.Err() != nil:
			return best.Controller, nil
		case err != nil:
			return nil, err
		}
		if now > most {
			best, most = b, now
		}
		if leaves <= least {
			return best.Controller, nil
		}
	}
	// A node that was a leaf when it seemed unlikely may be met again and again.
	for best.weigh(prior, least/16) {
		if err := look(best); err != nil && ctx.Err() == nil {
			return nil, err
		} else if err != nil || leaves <= least {
			break
		}
	}
	return best.Controller, nil
}

// newBuilder returns a builder that has the start nodes of a policy.
func newBuilder(m bcpace.Finite, p bcpace.Policy, quantum float64) (*builder, error) {
	spec := m.Spec()
	b := &builder{Controller: &Controller{model: m, latents: len(spec.Latents), first: []int32{0}},
		spec: spec, can: bcpace.PolicyAbilitiesOf(bcpace.Fork(p)), list: bcpace.NewLister(m), mover: bcpace.AbilitiesOf(m).Mover(), quantum: quantum,
		state: make([]float64, len(spec.Axes))}
	return b, b.begin()
}

// grow writes the policy out until there are mostNodes, or no leaf is known to be reached with a discounted probability of least or more under
// some latent.
func (b *builder) grow(ctx context.Context, least float64) error {
	for b.open.Len() > 0 && !b.full() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		e := heap.Pop(&b.open).(entry)
		if e.weight < least {
			return nil
		}
		if err := b.expand(e); err != nil {
			return err
		}
	}
	return nil
}

// full reports whether the graph is as large as it may be.
func (b *builder) full() bool { return len(b.first) > mostNodes || len(b.prob) >= mostNumbers }

// weigh gives the leaves the discounted probabilities of coming there, under the prior, and reports whether one is least or more, and may be
// written out.
func (b *builder) weigh(prior bcpace.Belief, least float64) (some bool) {
	flow, next, weight := make([]float64, len(b.nodes)), make([]float64, len(b.nodes)), make([]float64, len(b.nodes))
	for _, s := range b.starts {
		flow[s.node] += bcpace.Belief(s.prob).Dot(prior)
	}
	for left, sweeps := 1.0, 0; left > least/4 && sweeps < mostSweeps; sweeps++ {
		clear(next)
		left = 0
		for n, x := range flow {
			at := &b.nodes[n]
			switch {
			case x == 0:
			case at.inner < 0:
				weight[n] += x
			default:
				for e := b.first[at.inner]; e < b.first[at.inner+1]; e++ {
					if to := b.to[e]; to != none {
						p := x * b.spec.Discount * bcpace.Belief(at.belief).Dot(b.prob[int(e)*b.latents:][:b.latents])
						next[to] += p
						left += p
					}
				}
			}
		}
		flow, next = next, flow
	}
	b.open = b.open[:0]
	for n, w := range weight {
		if w >= least {
			b.open = append(b.open, entry{int32(n), w})
		}
	}
	heap.Init(&b.open)
	return len(b.open) > 0 && !b.full()
}

// builder has the working memory of Of.
type builder struct {
	*Controller
	spec    bcpace.Spec
	can     bcpace.PolicyAbilities // of the policy
	list    *bcpace.Lister
	mover   *sparse.Mover
	known   sparse.HashIndex
	open    queue
	state   []float64
	quantum float64
}

// entry is a leaf and the discounted probability with which it was reached first, of the latent under which that is the largest, or that of weigh.
type entry struct {
	node   int32
	weight float64
}

// queue gives the leaf of largest weight first.
type queue []entry

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].weight > q[j].weight }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(entry)) }
func (q *queue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

// begin makes the nodes of the start states.
func (b *builder) begin() error {
	var z bcpace.Successors
	if err := z.ListStarts(b.model); err != nil {
		return err
	}
	prior := make(bcpace.Belief, b.latents)
	b.model.Prior(prior)
	for i := range z.Len() {
		s, prob, _ := z.Row(i)
		belief := slices.Clone(prior)
		if belief.Posterior(belief, prob) == 0 {
			belief = bcpace.Uniform(b.latents)
			belief.Posterior(belief, prob)
		}
		number := b.model.StateIndex(s)
		if number < 0 {
			return b.spec.Fault(s, -1, -1, "Starts lists this state, which has no number")
		}
		b.starts = append(b.starts, start{number, b.nodeAt(number, belief, slices.Max(prob)), slices.Clone(prob)})
	}
	return nil
}

// nodeAt returns the node of a state and belief, a new leaf where there is none.
func (b *builder) nodeAt(state int, belief []float64, weight float64) int32 {
	h := sparse.Mixed(0, uint64(state))
	for _, p := range belief {
		h = sparse.Mixed(h, uint64(math.Round(p/b.quantum)))
	}
	n := b.known.Find(h, func(n int32) bool {
		at := &b.nodes[n]
		return int(at.state) == state && slices.EqualFunc(at.belief, belief, func(p, q float64) bool { return math.Round(p/b.quantum) == math.Round(q/b.quantum) })
	})
	if n < 0 {
		n = b.known.Add(h)
		b.nodes = append(b.nodes, node{state: int32(state), action: none, inner: none, belief: slices.Clone(belief)})
		heap.Push(&b.open, entry{n, weight})
	}
	return n
}

// expand writes a leaf out.
func (b *builder) expand(e entry) error {
	n := int(e.node)
	belief := b.nodes[n].belief
	b.model.StateAt(b.state, int(b.nodes[n].state))
	action, err := b.spec.Act(context.Background(), &b.can, b.state, belief, rand.New(rand.NewPCG(0, 0)))
	if err != nil {
		return err
	}
	if err := b.list.List(b.state, action); err != nil {
		return err
	}
	b.nodes[n].action, b.nodes[n].inner = int32(action), int32(len(b.first)-1)
	var rows *sparse.MoveRows
	if b.mover != nil {
		rows = new(sparse.MoveRows)
		if !b.mover.Fill(rows, b.state, action, nil) {
			rows = nil
		}
	}
	b.moves = append(b.moves, rows)
	z, now := &b.list.Successors, make(bcpace.Belief, b.latents)
	for i := range z.Len() {
		s, prob, reward := z.Row(i)
		most := slices.Max(prob)
		if most == 0 {
			continue
		}
		number := b.model.StateIndex(s)
		if number < 0 {
			return b.spec.Fault(b.state, action, -1, "Successors lists %v, which has no number", s)
		}
		to := int32(none)
		if !z.Done[i] {
			if bcpace.Belief(belief).Posterior(now, prob) == 0 { // the prior of the policy rules it out: begin anew
				bcpace.Uniform(b.latents).Posterior(now, prob)
			}
			moved := now
			if rows != nil {
				moved = make(bcpace.Belief, b.latents)
				rows.Move(moved, now, 0)
			}
			to = b.nodeAt(number, moved, e.weight*b.spec.Discount*most)
		}
		b.to, b.next = append(b.to, to), append(b.next, int32(number))
		b.prob, b.reward = append(b.prob, prob...), append(b.reward, reward...)
	}
	b.first = append(b.first, int32(len(b.to)))
	return nil
}

// inner returns how many nodes are written out.
func (c *Controller) inner() int { return len(c.first) - 1 }

// On returns the controller for another model m, in which what follows is the same: its states have the numbers that number returns for those
// of c, and a node does what does returns for its state and action.
func (c *Controller) On(m bcpace.Finite, number func(state int32) int32, does func(state int32, action int) int) *Controller {
	to := *c
	to.model, to.starts, to.nodes, to.next = m, slices.Clone(c.starts), slices.Clone(c.nodes), slices.Clone(c.next)
	for i := range to.starts {
		to.starts[i].state = int(number(int32(to.starts[i].state)))
	}
	for i, n := range c.nodes {
		to.nodes[i].state = number(n.state)
		if n.inner >= 0 {
			to.nodes[i].action = int32(does(n.state, int(n.action)))
		}
	}
	for i := range to.next {
		to.next[i] = number(c.next[i])
	}
	return &to
}
