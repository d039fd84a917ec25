package pft

import (
	"context"
	"math/rand/v2"
	"sort"

	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/hidden/internal/search"
)

// tree is the search tree. The particles of node i are x[i·n·dim : (i+1)·n·dim], and their cumulated weights
// sum[i·n : (i+1)·n]. The root has none: its belief is drawn from each time that it is left.
type tree struct {
	*search.Histories
	n, dim          int
	width           int32
	states, actions search.Widening
	root            hidden.Belief
	x, sum          []float64
	actsByX         bool // an action that is added may look at X

	now, then   cloud
	next, state []float64
}

func newTree(h *search.Histories, n int, width int32, states, actions search.Widening) *tree {
	dim := len(h.Model.Spec.Hidden)
	return &tree{Histories: h, n: n, dim: dim, width: width, actsByX: h.Model.Rollout != nil && h.Model.Spec.HasBox(), states: states, actions: actions,
		now: newCloud(n, dim), then: newCloud(n, dim), next: make([]float64, len(h.Next)), state: make([]float64, len(h.Next))}
}

// Root implements search.Search.
func (t *tree) Root(s []float64, b hidden.Belief, _ *rand.Rand) error {
	t.Begin(s, b)
	t.root = b
	t.x, t.sum = t.x[:0], t.sum[:0]
	t.add()
	return nil
}

// add gives one more node the particles of then.
func (t *tree) add() { t.x, t.sum = append(t.x, t.then.x...), append(t.sum, t.then.sum...) }

// draw makes now equally weighted particles of a node.
func (t *tree) draw(node int32, rng *rand.Rand) {
	if node == 0 {
		for i := range t.n {
			t.root.Draw(t.now.at(i), rng)
		}
		return
	}
	t.now.resample(t.x[int(node)*t.n*t.dim:], t.sum[int(node)*t.n:int(node+1)*t.n], rng)
}

// pick sets X to a particle of a node, drawn by its weight.
func (t *tree) pick(node int32, rng *rand.Rand) {
	if node == 0 {
		t.root.Draw(t.X, rng)
		return
	}
	sum := t.sum[int(node)*t.n : int(node+1)*t.n]
	u := rng.Float64() * sum[t.n-1]
	i := min(sort.Search(t.n, func(i int) bool { return sum[i] > u }), t.n-1)
	copy(t.X, t.x[(int(node)*t.n+i)*t.dim:])
}

// room reports whether an edge may have one more next belief.
func (t *tree) room(edge int32) bool {
	e := &t.Edges[edge]
	if t.width > 0 {
		return e.Draws < t.width
	}
	return t.states.Room(e.Children, e.Visits)
}

// Simulate implements search.Search.
func (t *tree) Simulate(ctx context.Context, rng *rand.Rand) error {
	t.Path.Clear()
	for node := int32(0); ; {
		if t.actsByX {
			t.pick(node, rng)
		}
		t.Widen(node, t.actions, t.Model.Rollout, rng)
		e := t.Try(node, rng)
		next, added := int32(-1), false
		if t.room(e) {
			t.draw(node, rng)
			reward, done := t.step(t.At(node), t.Edges[e].Action, rng)
			if next, added = t.After(e, done); added {
				t.add()
			}
			t.Path.Add(e, reward)
			t.Edges[e].Draws++
			t.Nodes[next].Draws++
		} else {
			next = t.DrawChild(e, rng)
			t.Path.Add(e, t.Edges[e].Reward)
		}
		left := t.Depth - len(t.Path.Edges)
		switch {
		case t.Nodes[next].Done || left <= 0:
			t.Backup(&t.Path, next, 0, t.Model.Spec.Discount)
			return nil
		case added:
			earned, err := t.leaf(ctx, next, left, rng)
			if err != nil {
				return err
			}
			t.Backup(&t.Path, next, earned, t.Model.Spec.Discount)
			return nil
		}
		node = next
	}
}

// step simulates a step of the belief now from state s: what follows by one particle, into Next, and then the belief there. reward is the
// mean one of all particles.
func (t *tree) step(s []float64, action int, rng *rand.Rand) (reward float64, done bool) {
	copy(t.X, t.now.at(rng.IntN(t.n)))
	out := t.Step(s, action, rng)
	for i := range t.n {
		step := t.Model.Step(t.next, t.then.at(i), s, t.now.at(i), action, rng)
		reward += step.Reward
		t.then.ended[i] = step.Done
	}
	if !out.Done {
		t.weigh(s, action, rng)
	}
	return reward / float64(t.n), out.Done
}

// weigh weights the particles that were moved by how likely they make Next.
func (t *tree) weigh(s []float64, action int, rng *rand.Rand) {
	for round := range rounds {
		for i := range t.n {
			x, moved := t.now.at(i), t.then.at(i)
			if round > 0 {
				t.then.ended[i] = t.Model.Step(t.next, moved, s, x, action, rng).Done
			}
			if !t.then.ended[i] {
				t.then.sum[i] = t.Model.LogDensity(s, x, action, t.Next, moved)
			}
		}
		if t.then.accumulate() {
			return
		}
	}
	t.then.fill(t.NextX) // what the simulated step led to
}

// leaf returns what is earned from a node that was added, in so many steps at most. Where the model has a Rollout, the
// belief is moved on, and each action is what Rollout takes at a particle that is drawn from it: so an agent acts who does not see x.
// Without one, an action that is repeated, or random ones, need no belief.
func (t *tree) leaf(ctx context.Context, node int32, steps int, rng *rand.Rand) (earned float64, err error) {
	copy(t.Next, t.At(node))
	t.draw(node, rng)
	m := t.Model
	if m.Rollout == nil {
		copy(t.X, t.now.at(rng.IntN(t.n)))
		return t.Rollout(ctx, t.Next, t.X, steps, rng)
	}
	s, weight := t.state, 1.0
	for range steps {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		copy(s, t.Next)
		reward, done := t.step(s, m.Rollout(s, t.now.at(rng.IntN(t.n)), rng), rng)
		earned += weight * reward
		if done {
			break
		}
		weight *= m.Spec.Discount
		t.now.resample(t.then.x, t.then.sum, rng)
	}
	return earned, nil
}
