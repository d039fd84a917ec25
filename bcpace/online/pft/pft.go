// Package pft is planning with particle-filter trees for a hidden vector: PFT-DPW (Sunberg and Kochenderfer 2018, "Online
// algorithms for POMDPs with continuous state, action, and observation spaces") and Sparse-PFT (Lim, Becker, Kochenderfer,
// Tomlin and Sunberg 2023, "Optimality guarantees for particle belief approximation of POMDPs").
//
// A node is a belief of so many weighted particles, all of which are moved and weighted when a node is added. So the tree is that of
// a Markov decision process of beliefs. PFT-DPW gives an edge more and more next beliefs, by progressive widening;
// Sparse-PFT gives each edge the same number C of them.
//
// # What is proved
//
// The paper on Sparse-PFT is about the problem whose beliefs are particles. It proves that what a planner guarantees there holds, with
// high probability, for the problem itself but for an error that falls as particles grow in number. A planner with a guarantee there is
// sparse sampling, which searches the whole tree of C next beliefs an edge. A tree that simulations have searched in part, as here,
// has none. So a decision has no interval.
//
// Nor would the whole tree give one that is of use. Its guarantee takes Hoeffding's inequality at each node: an
// error of ε at the root but with probability δ asks, by that alone, for
//
//	C ≥ (VMax−VMin)²/(2ε²(1−γ)²) · (ln(2/δ) + D·ln(|A|·C))
//
// for a depth D. With three actions, rewards from −1 to 1, γ = 0.9, ε = 0.1 and δ = 0.05 these are 2·10⁹ next beliefs for each edge
// at the depth of 44 that a search has by default and, at a depth of 6, 2.5·10⁸ of them and 10⁵³ nodes. Where the value is known,
// the tests have simulations come within 0.06 of it with 12 next beliefs and 200 particles.
package pft

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/tree"
	"bayescpace/bcpace/online/vectors"
)

// Solver has the parameters. Every zero value is useful.
type Solver struct {
	// Budget is that of a decision. The default is 1000 simulations.
	Budget bcpace.Budget
	// Particles is how many a node has. 0 means 20.
	Particles int
	// Exploration is c of UCB1, in reward units. 0 means the range of the model's rewards.
	Exploration float64
	// Width is C of Sparse-PFT: how many next beliefs each edge has. 0 means progressive widening, as in PFT-DPW.
	Width int
	// StateK and StateAlpha are k > 0 and α in (0, 1) of next beliefs. 0 means 4 and ¼.
	StateK, StateAlpha float64
	// ActionK and ActionAlpha are k > 0 and α in (0, 1) of the controls of a model some of
	// whose actions have a Box: every second of them is that of Model.Rollout, if there is one, for a hidden vector of the node. 0 means 4
	// and ⅓.
	ActionK, ActionAlpha float64
}

const (
	defaultParticles = 20
	maxParticles     = 1 << 16
	rounds           = 4 // of fresh particles, where none explains what is seen
)

// Planner returns the planner for m. The error is a *bcpace.InputError for a model or parameters that cannot be used, and a
// *bcpace.UnsupportedError for a model without a LogDensity.
func (o Solver) Planner(m *hidden.Model) (hidden.Planner, error) {
	states, actions := tree.Widening{K: o.StateK, Alpha: o.StateAlpha}, tree.Widening{K: o.ActionK, Alpha: o.ActionAlpha}
	if err := cmp.Or(states.Check("State"), actions.Check("Action"), online.CheckExploration(o.Exploration)); err != nil {
		return nil, err
	}
	need := bcpace.In("options").Need
	if err := cmp.Or(
		need(o.Particles >= 0 && o.Particles <= maxParticles, "Particles", o.Particles, fmt.Sprintf("a number up to %d, or 0 for %d", maxParticles, defaultParticles)),
		need(o.Width >= 0 && o.Width <= math.MaxInt32, "Width", o.Width, "a number of next beliefs, or 0 for progressive widening"),
		need(o.Width <= 0 || o.StateK == 0 && o.StateAlpha == 0, "StateK, StateAlpha", fmt.Sprintf("%v, %v beside Width", o.StateK, o.StateAlpha), "0 beside a Width, or a Width of 0"),
		m.Validate()); err != nil {
		return nil, err
	}
	if m.LogDensity == nil {
		return nil, &bcpace.UnsupportedError{Model: m.Spec.Name, Algorithm: "a particle-filter tree", Need: "Model.LogDensity, which weighs the particles of a node; pomcpow does without where what is observed takes few values"}
	}
	states, actions = states.Or(4, 1.0/4), actions.Or(4, 1.0/3)
	n := cmp.Or(o.Particles, defaultParticles)
	table, err := vectors.NewTable(m, o.Budget.Depth)
	if err != nil {
		return nil, err
	}
	return online.NewVectors(m, o.Budget, func() online.Search[hidden.Belief] {
		x := newClouds(vectors.NewHistories(m, table, o.Budget.Depth, o.Exploration, actions), n)
		x.Width, x.States = int32(o.Width), states
		return x
	})
}

// clouds is the search, and its tree.StateSource. The particles of node i are x[i·n·dim : (i+1)·n·dim], and their cumulated weights
// sum[i·n : (i+1)·n]. The root has none: its belief is drawn from each time that it is left.
type clouds struct {
	*vectors.Histories
	n, dim  int
	x, sum  []float64
	actsByX bool // an action that is added may look at X

	now, then   cloud
	next, state []float64
}

func newClouds(h *vectors.Histories, n int) *clouds {
	dim := len(h.Model.Spec.Hidden)
	t := &clouds{Histories: h, n: n, dim: dim, now: newCloud(n, dim), then: newCloud(n, dim), next: make([]float64, len(h.Next)), state: make([]float64, len(h.Next))}
	t.Source = t
	if random := t.Control; random != nil && h.Model.Rollout != nil {
		t.actsByX = true
		t.Control = func(node int32, rng *rand.Rand) int {
			if t.Nodes[node].Edges%2 == 0 {
				return h.Model.Rollout(t.At(node), t.X, rng)
			}
			return random(node, rng)
		}
	}
	return t
}

// Root implements online.Search.
func (t *clouds) Root(s []float64, b hidden.Belief) {
	t.Histories.Root(s, b)
	t.x, t.sum = t.x[:0], t.sum[:0]
	t.add()
}

// add gives one more node the particles of then.
func (t *clouds) add() { t.x, t.sum = append(t.x, t.then.x...), append(t.sum, t.then.sum...) }

// draw makes now equally weighted particles of a node.
func (t *clouds) draw(node int32, rng *rand.Rand) {
	if node == 0 {
		for i := range t.n {
			t.Belief.Draw(t.now.at(i), rng)
		}
		return
	}
	t.now.resample(t.x[int(node)*t.n*t.dim:], t.sum[int(node)*t.n:int(node+1)*t.n], rng)
}

// pick sets X to a particle of a node, drawn by its weight.
func (t *clouds) pick(node int32, rng *rand.Rand) {
	if node == 0 {
		t.Belief.Draw(t.X, rng)
		return
	}
	t.Pick(t.x[int(node)*t.n*t.dim:], t.sum[int(node)*t.n:int(node+1)*t.n], rng)
}

// Begin implements tree.StateSource.
func (t *clouds) Begin(_ context.Context, rng *rand.Rand) error {
	t.enter(0, rng)
	return nil
}

// enter comes to a node where an action may be added.
func (t *clouds) enter(node int32, rng *rand.Rand) {
	if t.actsByX {
		t.pick(node, rng)
	}
}

// Step implements tree.StateSource: a step of a belief, unless the simulation goes on to one that is there.
func (t *clouds) Step(node, edge int32, fresh bool, rng *rand.Rand) (next []float64, reward float64, done bool) {
	e := &t.Edges[edge]
	if !fresh {
		return nil, e.Reward, false
	}
	t.draw(node, rng)
	reward, done = t.step(t.At(node), e.Action, rng)
	return t.Key(t.Next, done), reward, done
}

// Arrive implements tree.StateSource.
func (t *clouds) Arrive(_, to int32, left int, _, added bool, rng *rand.Rand) (done bool, err error) {
	if added {
		t.add()
	} else if !t.Nodes[to].Done && left > 0 {
		t.enter(to, rng)
	}
	return t.Nodes[to].Done, nil
}

// step simulates a step of the belief now from state s: what follows by one particle, into Next, and then the belief there. reward is the
// mean one of all particles.
func (t *clouds) step(s []float64, action int, rng *rand.Rand) (reward float64, done bool) {
	copy(t.X, t.now.at(rng.IntN(t.n)))
	out := t.Move(s, action, rng)
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
func (t *clouds) weigh(s []float64, action int, rng *rand.Rand) {
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

// Leaf implements tree.StateSource. Where the model has a Rollout, the
// belief is moved on, and each action is what Rollout takes at a particle that is drawn from it: so an agent acts who does not see x.
// Without one, an action that is repeated, or random ones, need no belief.
func (t *clouds) Leaf(ctx context.Context, node int32, steps int, rng *rand.Rand) (earned float64, err error) {
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

// cloud are particles.
type cloud struct {
	dim   int
	x     []float64 // particle i is x[i·dim : (i+1)·dim]
	sum   []float64 // cumulated weights
	ended []bool    // the episode has ended for a particle, which has no weight then
}

func newCloud(n, dim int) cloud {
	return cloud{dim, make([]float64, n*dim), make([]float64, n), make([]bool, n)}
}

func (c *cloud) at(i int) []float64 { return c.x[i*c.dim : (i+1)*c.dim : (i+1)*c.dim] }

// resample draws equally weighted particles from others with cumulated weights, systematically.
func (c *cloud) resample(x, sum []float64, rng *rand.Rand) {
	n := len(sum)
	step := sum[n-1] / float64(n)
	at, from := step*rng.Float64(), 0
	for i := range n {
		for sum[from] < at && from < n-1 {
			from++
		}
		copy(c.at(i), x[from*c.dim:(from+1)*c.dim])
		at += step
	}
}

// accumulate makes cumulated weights of what sum holds, the logarithms of weights. It reports whether any is above 0.
func (c *cloud) accumulate() bool {
	top := math.Inf(-1)
	for i, l := range c.sum {
		if !c.ended[i] {
			top = max(top, l)
		}
	}
	if math.IsInf(top, -1) || math.IsNaN(top) {
		return false
	}
	total := 0.0
	for i, l := range c.sum {
		if !c.ended[i] {
			total += math.Exp(l - top)
		}
		c.sum[i] = total
	}
	return true
}

// fill makes all particles the same.
func (c *cloud) fill(x []float64) {
	for i := range c.sum {
		copy(c.at(i), x)
		c.sum[i] = float64(i + 1)
	}
}
