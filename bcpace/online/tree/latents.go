package tree

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online"
)

// Latents is a Search for latents of a list, and its Source: a simulation has a latent, which is drawn from the exact belief at
// the root.
type Latents struct {
	MonteCarlo
	bayes   *bcpace.Bayes
	walk    *online.Walk
	rollout *online.LeafRollout
	belief  bcpace.Belief // at the root
	noted   bool          // nodes have their beliefs as notes
}

// NewLatents returns a search in m, to that depth or, if it is 0, the default one. exploration and rollout are those of
// online.MonteCarlo. Without widening, every next state has a node.
func NewLatents(m bcpace.Model, depth int, exploration float64, rollout bcpace.Policy, widens bool) *Latents {
	spec, notes := m.Spec(), 0
	if widens {
		notes = len(spec.Latents)
	}
	l := &Latents{bayes: bcpace.NewBayes(m), walk: online.NewWalk(m), rollout: online.NewRollout(m, rollout), belief: make(bcpace.Belief, len(spec.Latents)), noted: widens}
	l.MonteCarlo = NewMonteCarlo(spec, len(spec.Axes), notes, depth, exploration)
	l.Source, l.Every = l, !widens
	return l
}

// Root implements online.Search.
func (l *Latents) Root(s []float64, b bcpace.Belief) {
	if !l.At(s) || !online.SameBelief(l.belief, b) {
		l.Reset(s)
	}
	copy(l.belief, b)
	if l.noted {
		copy(l.Notes(0), b)
	}
	l.rollout.Begin()
}

// Advance implements online.Keeper. The belief is that which a root has to have for the tree to
// stay.
func (l *Latents) Advance(action int, next []float64) {
	if len(l.Nodes) == 0 {
		return
	}
	if err := l.bayes.Update(l.belief, l.belief, l.State(0), action, next); err != nil {
		l.Forget()
		return
	}
	l.Tree.Advance(action, next)
}

// Top implements online.Shower.
func (l *Latents) Top(most int) ([]bcpace.SearchNode, error) {
	nodes := l.Show(most)
	return nodes, online.UpdateBeliefs(nodes, l.bayes, l.belief)
}

// Begin implements Source.
func (l *Latents) Begin(ctx context.Context, rng *rand.Rand) error {
	if err := l.rollout.Try(ctx, l.walk, l.State(0), l.belief, l.Depth, rng); err != nil {
		return err
	}
	l.walk.Start(l.State(0), l.belief.Sample(rng))
	return nil
}

// Step implements Source.
func (l *Latents) Step(_, edge int32, _ bool, rng *rand.Rand) (next []float64, reward float64, done bool) {
	w := l.walk
	reward = w.Step(l.Edges[edge].Action, rng)
	return w.State, reward, w.Done
}

// Arrive implements Source. A node that is added gets its belief.
func (l *Latents) Arrive(edge, to int32, _ int, fresh, added bool, rng *rand.Rand) (done bool, err error) {
	w := l.walk
	switch {
	case added:
		action, reward := l.Edges[edge].Action, l.Path.Rewards[len(l.Path.Rewards)-1]
		if err := l.Spec.CheckOutcome(bcpace.Outcome{Reward: reward}, w.State, w.Prev, action, -1); err != nil {
			return false, err
		}
		if l.noted {
			from := l.Edges[edge].Node
			return w.Done, l.bayes.Update(l.Notes(to), l.Notes(from), l.State(from), action, l.State(to))
		}
	case !fresh:
		w.Start(l.State(to), bcpace.Belief(l.Notes(to)).Sample(rng))
		w.Done = l.Nodes[to].Done
	}
	return w.Done, nil
}

// Leaf implements Source.
func (l *Latents) Leaf(ctx context.Context, _ int32, left int, rng *rand.Rand) (float64, error) {
	return l.rollout.Play(ctx, l.walk, left, rng)
}

// Show returns the top of the tree, see bcpace.PolicyAbilities.Nodes, without beliefs.
func (t *Tree) Show(most int) []bcpace.SearchNode {
	return online.Top(min(most, len(t.Nodes)), func(n int32) int { return int(t.Nodes[n].Visits) }, t.follow, func(number int32) bcpace.SearchNode {
		n := &t.Nodes[number]
		shown := bcpace.SearchNode{
			State: slices.Clone(t.State(number)), Depth: int(n.Depth - t.Nodes[0].Depth),
			Value: n.Value, Lower: math.Inf(-1), Upper: math.Inf(1), Best: t.bestAction(n.First),
		}
		if n.Edge != None {
			edge := &t.Edges[n.Edge]
			shown.Action, shown.Prob = edge.Action, float64(n.Visits)/float64(edge.Visits)
		}
		return shown
	})
}

// follow appends the nodes that follow a node and were visited: a simulation that a context
// ended has left one that was not.
func (t *Tree) follow(list []int32, node int32) []int32 {
	for e := t.Nodes[node].First; e != None; e = t.Edges[e].Next {
		for c := t.Edges[e].Child; c != None; c = t.Nodes[c].Sibling {
			if t.Nodes[c].Visits > 0 {
				list = append(list, c)
			}
		}
	}
	return list
}

// bestAction returns the action of the largest Q of the edges that were tried, from e on, the
// first of equal ones; −1 if there is none.
func (t *Tree) bestAction(e int32) int {
	q, action := math.Inf(-1), -1
	for ; e != None; e = t.Edges[e].Next {
		if x := &t.Edges[e]; x.Visits > 0 && x.Q > q {
			q, action = x.Q, x.Action
		}
	}
	return action
}
