// Package pft is planning with particle-filter trees for a hidden vector: PFT-DPW (Sunberg and Kochenderfer 2018, "Online
// algorithms for POMDPs with continuous state, action, and observation spaces") and Sparse-PFT (Lim, Becker, Kochenderfer,
// Tomlin and Sunberg 2023, "Optimality guarantees for particle belief approximation of POMDPs").
//
// A node is a belief of so many weighted particles, all of which are moved and weighted when a node is added. So the tree is that of
// a Markov decision process of beliefs. PFT-DPW gives an edge more and more next beliefs, by progressive widening;
// Sparse-PFT gives each edge the same number C of them. The paper on Sparse-PFT proves that, as C grows with the number
// of particles, the value of the particle beliefs comes near that of the problem.
package pft

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/hidden/internal/search"
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
	// whose actions have a Box. 0 means 4 and ⅓.
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
	states, actions := search.Widening{K: o.StateK, Alpha: o.StateAlpha}, search.Widening{K: o.ActionK, Alpha: o.ActionAlpha}
	if err := states.Check("State"); err != nil {
		return nil, err
	}
	if err := actions.Check("Action"); err != nil {
		return nil, err
	}
	bad := bcpace.In("options").Bad
	switch {
	case o.Particles < 0 || o.Particles > maxParticles:
		return nil, bad("Particles", o.Particles, fmt.Sprintf("a number up to %d, or 0 for %d", maxParticles, defaultParticles))
	case o.Width < 0 || o.Width > math.MaxInt32:
		return nil, bad("Width", o.Width, "a number of next beliefs, or 0 for progressive widening")
	case o.Width > 0 && (o.StateK != 0 || o.StateAlpha != 0):
		return nil, bad("StateK, StateAlpha", fmt.Sprintf("%v, %v beside Width", o.StateK, o.StateAlpha), "0 beside a Width, or a Width of 0")
	case !(o.Exploration >= 0) || math.IsInf(o.Exploration, 1):
		return nil, bad("Exploration", o.Exploration, "a constant above 0 in reward units, or 0 for the default")
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if m.LogDensity == nil {
		return nil, &bcpace.UnsupportedError{Model: m.Spec.Name, Algorithm: "a particle-filter tree", Need: "Model.LogDensity, which weighs the particles of a node; pomcpow does without where what is observed takes few values"}
	}
	states, actions = states.Or(4, 1.0/4), actions.Or(4, 1.0/3)
	n := o.Particles
	if n == 0 {
		n = defaultParticles
	}
	return search.New(m, o.Budget, func() search.Search {
		dim := len(m.Spec.Hidden)
		return &tree{Histories: search.NewHistories(m, o.Budget.Depth, o.Exploration), n: n, dim: dim, width: int32(o.Width), states: states, actions: actions,
			moved: make([]float64, n*dim), done: make([]bool, n), next: make([]float64, len(m.Spec.Axes)), weight: make([]float64, n)}
	})
}

// tree is the search tree. Particles of node i are x[i·n·dim : (i+1)·n·dim], and their cumulated weights sum[i·n : (i+1)·n].
type tree struct {
	*search.Histories
	n, dim          int
	width           int32
	states, actions search.Widening
	x, sum          []float64

	moved, next, weight []float64 // room
	done                []bool
}

// Root implements search.Search: particles of the root are drawn from the belief.
func (t *tree) Root(s []float64, b hidden.Belief, rng *rand.Rand) error {
	t.Begin(s)
	t.x, t.sum = t.x[:0], t.sum[:0]
	t.add()
	for i := range t.n {
		b.Draw(t.particle(0, i), rng)
		t.sum[i] = float64(i + 1)
	}
	return nil
}

// add makes room for the particles of one more node.
func (t *tree) add() {
	t.x, t.sum = append(t.x, t.moved...), append(t.sum, t.weight...)
}

func (t *tree) particle(node int32, i int) []float64 {
	at := (int(node)*t.n + i) * t.dim
	return t.x[at : at+t.dim : at+t.dim]
}

// pick returns a particle of a node by its weight.
func (t *tree) pick(node int32, rng *rand.Rand) []float64 {
	sum := t.sum[int(node)*t.n : (int(node)+1)*t.n]
	u := rng.Float64() * sum[t.n-1]
	return t.particle(node, min(sort.Search(t.n, func(i int) bool { return sum[i] > u }), t.n-1))
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
	m := t.Model
	t.Path.Clear()
	for node := int32(0); ; {
		t.Widen(node, t.actions, rng)
		e := t.Try(node, rng)
		next, added := int32(-1), false
		if t.room(e) {
			var reward float64
			next, added, reward = t.grow(node, e, rng)
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
			t.Backup(&t.Path, next, 0, m.Spec.Discount)
			return nil
		case added:
			copy(t.Next, t.At(next))
			copy(t.X, t.pick(next, rng))
			earned, err := t.Rollout(ctx, t.Next, t.X, left, rng)
			if err != nil {
				return err
			}
			t.Backup(&t.Path, next, earned, m.Spec.Discount)
			return nil
		}
		node = next
	}
}

// grow simulates what follows an edge of a node: the next state by one particle, and the belief there by all of them. reward
// is their mean reward.
func (t *tree) grow(node, edge int32, rng *rand.Rand) (next int32, added bool, reward float64) {
	m, s, action := t.Model, t.At(node), t.Edges[edge].Action
	copy(t.X, t.pick(node, rng))
	first := t.Step(s, action, rng) // into Next
	before := 0.0
	for i := range t.n {
		moved := t.moved[i*t.dim : (i+1)*t.dim]
		out := m.Step(t.next, moved, s, t.particle(node, i), action, rng)
		sum := t.sum[int(node)*t.n+i]
		reward += (sum - before) * out.Reward
		before, t.done[i] = sum, out.Done
	}
	reward /= before
	if next, added = t.After(edge, first.Done); !added || first.Done {
		if added {
			t.add() // which nothing reads
		}
		return next, added, reward
	}
	t.add()
	t.weigh(node, next, action, rng)
	return next, true, reward
}

// weigh gives a node that was added the moved particles, with weights for its state.
func (t *tree) weigh(node, next int32, action int, rng *rand.Rand) {
	m, s, to := t.Model, t.At(node), t.At(next)
	for round := range rounds {
		top, before := math.Inf(-1), 0.0
		for i := range t.n {
			x, moved := t.particle(node, i), t.moved[i*t.dim:(i+1)*t.dim]
			prior := t.sum[int(node)*t.n+i] - before
			before += prior
			if round > 0 {
				x, prior = t.pick(node, rng), 1
				t.done[i] = m.Step(t.next, moved, s, x, action, rng).Done
			}
			t.weight[i] = math.Inf(-1)
			if !t.done[i] && prior > 0 {
				t.weight[i] = math.Log(prior) + m.LogDensity(s, x, action, to, moved)
			}
			top = max(top, t.weight[i])
		}
		if math.IsInf(top, -1) && round < rounds-1 {
			continue
		}
		sum := 0.0
		for i, l := range t.weight {
			copy(t.particle(next, i), t.moved[i*t.dim:(i+1)*t.dim])
			if math.IsInf(top, -1) { // none explains it: what the simulated step led to
				copy(t.particle(next, i), t.NextX)
				l = top
				sum++
			} else {
				sum += math.Exp(l - top)
			}
			t.sum[int(next)*t.n+i] = sum
		}
		return
	}
}
