// Package pomcpow is POMCPOW (Sunberg and Kochenderfer 2018, "Online algorithms for POMDPs with continuous state,
// action, and observation spaces") for a hidden vector: Monte-Carlo tree search with double progressive widening, whose
// nodes hold the simulated hidden vectors, each weighted by how likely it makes what was observed.
//
// Where every observation is a node of its own, it is POMCP (Silver and Veness 2010): Solver.NoWidening, and
// so without a LogDensity. A hidden vector comes to a node by what it made itself seen, and has weight 1.
//
// A node for what was seen before is a departure from the paper: there a hidden vector that makes it seen again goes to
// that node and is weighted by its likelihood too, which counts what was seen twice, and believes it too much. Here it goes to
// one of the nodes that are there, as likely as each was seen, which its weight then is right for.
//
// Backups take the largest value over actions, as those of package online/pomcpow, in the place of
// the mean of returns. Where there are few states and hidden vectors, and the model has neither Bounds nor Rollout, a table of what
// policies earn that do not see the hidden vector stands in the place of rollouts, so that leaves have no luck in them.
package pomcpow

import (
	"context"
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
	// Exploration is c of UCB1, in reward units. 0 means the range of the model's rewards.
	Exploration float64
	// StateK and StateAlpha are k > 0 and α in (0, 1) of next states. 0 means 4 and ¼.
	StateK, StateAlpha float64
	// ActionK and ActionAlpha are k > 0 and α in (0, 1) of the controls of a model some of
	// whose actions have a Box. 0 means 4 and ⅓.
	ActionK, ActionAlpha float64
	// NoWidening has a node for every next state, for states that take few values.
	NoWidening bool
}

// Planner returns the planner for m. The error is a *bcpace.InputError for a model or parameters that cannot be used.
func (o Solver) Planner(m *hidden.Model) (hidden.Planner, error) {
	states, actions := search.Widening{K: o.StateK, Alpha: o.StateAlpha}, search.Widening{K: o.ActionK, Alpha: o.ActionAlpha}
	if err := states.Check("State"); err != nil {
		return nil, err
	}
	if err := actions.Check("Action"); err != nil {
		return nil, err
	}
	if !(o.Exploration >= 0) || math.IsInf(o.Exploration, 1) {
		return nil, bcpace.In("options").Bad("Exploration", o.Exploration, "a constant above 0 in reward units; without one there is a default")
	}
	states, actions = states.Or(4, 1.0/4), actions.Or(4, 1.0/3)
	table, err := search.NewTable(m, o.Budget.Depth)
	if err != nil {
		return nil, err
	}
	return search.New(m, o.Budget, func() search.Search {
		return &tree{Histories: search.NewHistories(m, table, o.Budget.Depth, o.Exploration), states: states, actions: actions, widen: !o.NoWidening && m.LogDensity != nil}
	})
}

// mostLog is the log of the largest weight, of which many may be added up.
const mostLog = 600

// tree is the search tree.
type tree struct {
	*search.Histories
	states, actions search.Widening
	widen           bool
	root            hidden.Belief
	particles       []particles // by node; those of the root are not used
	spare           []particles // of trees before
}

// particles are hidden vectors with cumulated weights, each divided by exp(unit).
type particles struct {
	x    []float64
	sum  []float64
	unit float64
}

// Root implements search.Search.
func (t *tree) Root(s []float64, b hidden.Belief, _ *rand.Rand) error {
	t.Begin(s, b)
	t.root = b
	t.spare, t.particles = append(t.spare, t.particles...), t.particles[:0]
	t.add()
	return nil
}

// add makes room for the particles of one more node.
func (t *tree) add() {
	var p particles
	if n := len(t.spare); n > 0 {
		p, t.spare = t.spare[n-1], t.spare[:n-1]
		p.x, p.sum = p.x[:0], p.sum[:0]
	}
	t.particles = append(t.particles, p)
}

// Simulate implements search.Search.
func (t *tree) Simulate(ctx context.Context, rng *rand.Rand) error {
	m := t.Model
	t.root.Draw(t.X, rng)
	t.Path.Clear()
	for node := int32(0); ; {
		t.Pass(node, t.Depth-len(t.Path.Edges), rng)
		t.Widen(node, t.actions, nil, rng)
		e := t.Try(node, rng)
		action := t.Edges[e].Action
		s := t.At(node)
		out := t.Step(s, action, rng)
		t.Path.Add(e, out.Reward)
		next, added := int32(-1), false
		if edge := &t.Edges[e]; !t.widen || t.states.Room(edge.Children, edge.Visits) {
			if next, added = t.After(e, out.Done); added {
				t.add()
			}
			t.Edges[e].Draws++
			t.Nodes[next].Draws++
			if t.widen && !added { // to any node, for which it is then weighted
				next = t.DrawChild(e, rng)
			}
		} else {
			next = t.DrawChild(e, rng)
		}
		if !out.Done && !t.Nodes[next].Done {
			t.weigh(m, node, next, action)
		}
		left := t.Depth - len(t.Path.Edges)
		switch {
		case t.Nodes[next].Done || left <= 0:
			t.Backup(&t.Path, next, 0, m.Spec.Discount)
			return nil
		case added:
			earned, err := t.Rollout(ctx, t.Next, t.NextX, left, rng)
			if err != nil {
				return err
			}
			t.Backup(&t.Path, next, earned, m.Spec.Discount)
			return nil
		}
		t.draw(next, rng)
		node = next
	}
}

// weigh adds NextX, which X became by an action at a node, to the next one: weighted by its likelihood there, unless what it made seen
// has led there.
func (t *tree) weigh(m *hidden.Model, node, next int32, action int) {
	p, density := &t.particles[next], 0.0
	if t.widen {
		density = m.LogDensity(t.At(node), t.X, action, t.At(next), t.NextX)
	}
	n := len(p.sum)
	if n == 0 {
		p.unit = density
	}
	weight := math.Exp(min(density-p.unit, mostLog))
	if !(weight > 0) {
		return
	}
	p.x = append(p.x, t.NextX...)
	if n > 0 {
		weight += p.sum[n-1]
	}
	p.sum = append(p.sum, weight)
}

// draw sets X to a hidden vector of a node, or to NextX where it has none.
func (t *tree) draw(node int32, rng *rand.Rand) {
	p := &t.particles[node]
	n := len(p.sum)
	if n == 0 {
		copy(t.X, t.NextX)
		return
	}
	u := rng.Float64() * p.sum[n-1]
	i := min(sort.Search(n, func(i int) bool { return p.sum[i] > u }), n-1)
	copy(t.X, p.x[i*len(t.X):])
}
