package vectors

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/tree"
)

// Histories is a tree of histories with what its Sources for a hidden vector have in common. What leads to a node is a
// state, and whether the episode ends there, which the tree has as one more number.
type Histories struct {
	tree.MonteCarlo
	Model  *hidden.Model
	Belief hidden.Belief // at the root
	// Next and NextX are room for what follows; X is the hidden vector of a simulation.
	Next, X, NextX []float64

	key []float64 // Next, and 1 where the episode has ended

	// Of rollouts without a Model.Rollout: where the decision is, and the action that is repeated, −1 before it is known.
	root   []float64
	blind  int         // of table, if there is one: the best policy at the root
	table  *GuessTable // stands in the place of rollouts; nil without
	passed []int       // by node: simulations of Pass
}

// NewHistories returns an empty tree for m, whose actions are widened so where one has a Box. exploration is c of UCB1, in reward units; 0 means the
// range of rewards.
func NewHistories(m *hidden.Model, table *GuessTable, depth int, exploration float64, actions tree.Widening) *Histories {
	axes, dim := len(m.Spec.Axes), len(m.Spec.Hidden)
	t := &Histories{table: table, Model: Guarded(m), Next: make([]float64, axes), X: make([]float64, dim), NextX: make([]float64, dim), key: make([]float64, axes+1)}
	t.MonteCarlo = tree.NewMonteCarlo(m.Spec.Spec, axes+1, 0, depth, exploration)
	t.Actions = actions
	return t
}

// Root implements online.Search.
func (t *Histories) Root(s []float64, b hidden.Belief) {
	t.Reset(t.Key(s, false))
	t.passed = t.passed[:0]
	t.root, t.Belief, t.blind = append(t.root[:0], s...), b, -1
}

// Key returns what leads to a node: a state, and whether the episode ends there. It is a view that holds until the next call.
func (t *Histories) Key(s []float64, done bool) []float64 {
	n := copy(t.key, s)
	t.key[n] = num.OfBool(done)
	return t.key
}

// At returns the state of a node.
func (t *Histories) At(node int32) []float64 { return t.State(node)[:len(t.Next)] }

// Move simulates a step from (s, X) into Next and NextX.
func (t *Histories) Move(s []float64, action int, rng *rand.Rand) bcpace.Outcome {
	return t.Model.Step(t.Next, t.NextX, s, t.X, action, rng)
}

// Pick sets X to one of some vectors, one behind the other, as often as their cumulated weights say.
func (t *Histories) Pick(vectors, cumulated []float64, rng *rand.Rand) {
	n := len(cumulated)
	u := rng.Float64() * cumulated[n-1]
	i := min(sort.Search(n, func(i int) bool { return cumulated[i] > u }), n-1)
	copy(t.X, vectors[i*len(t.X):])
}

// Pass notes that a simulation comes by a node with the hidden vector X, and so many steps left: with a Table, the value of a node is no
// less than the mean of what the table says of those vectors. Else a node that is looked into would be worth less than one that is not,
// as a search explores what is bad.
func (t *Histories) Pass(node int32, left int, rng *rand.Rand) {
	if t.table == nil {
		return
	}
	t.chooseTabled(rng)
	for len(t.Least) <= int(node) {
		t.Least, t.passed = append(t.Least, math.Inf(-1)), append(t.passed, 0)
	}
	value := t.table.of(t.blind, t.table.place(t.At(node), t.X), left)
	if t.passed[node]++; t.passed[node] == 1 {
		t.Least[node] = value
	}
	t.Least[node] += (value - t.Least[node]) / float64(t.passed[node])
}

// chooseTabled sets blind to the best policy of the table at the root, if it is not known.
func (t *Histories) chooseTabled(rng *rand.Rand) {
	if t.blind < 0 {
		_, t.blind = t.table.best(t.root, drawn(t.Belief, tableDraws, len(t.X), rng), t.Depth)
	}
}

// Rollout plays on from state s and the hidden vector x, both of which it uses up, for so many steps at most, and returns
// the discounted sum of rewards. Where the model has no Rollout, one action of a list is repeated to the end, that one which
// returns most in some trials from the root; with a Box, actions are random. The error is that of ctx.
func (t *Histories) Rollout(ctx context.Context, s, x []float64, steps int, rng *rand.Rand) (sum float64, err error) {
	m := t.Model
	policy := m.Rollout
	switch {
	case policy != nil:
	case m.Spec.HasBox():
		policy = func(_, _ []float64, rng *rand.Rand) int { return m.Spec.DrawAction(rng) }
	default:
		if err := t.chooseBlind(ctx, rng); err != nil {
			return 0, err
		}
		if t.table != nil {
			return t.table.of(t.blind, t.table.place(s, x), steps), nil
		}
		policy = func([]float64, []float64, *rand.Rand) int { return t.blind }
	}
	return t.play(ctx, s, x, steps, policy, rng)
}

// chooseBlind sets blind, if it is not known.
func (t *Histories) chooseBlind(ctx context.Context, rng *rand.Rand) error {
	if t.blind >= 0 {
		return nil
	}
	if t.table != nil {
		t.chooseTabled(rng)
		return nil
	}
	s, x := make([]float64, len(t.root)), make([]float64, len(t.X))
	_, blind, err := online.BestAction(len(t.Model.Spec.Actions), online.BlindTrials, func(a int) (float64, error) {
		copy(s, t.root)
		t.Belief.Draw(x, rng)
		return t.play(ctx, s, x, t.Depth, func([]float64, []float64, *rand.Rand) int { return a }, rng)
	})
	if err == nil {
		t.blind = blind
	}
	return err
}

// play is Rollout with a policy.
func (t *Histories) play(ctx context.Context, s, x []float64, steps int, policy func(s, x []float64, rng *rand.Rand) int, rng *rand.Rand) (sum float64, err error) {
	next, nextX := slices.Clone(s), slices.Clone(x)
	weight := 1.0
	for step := range steps {
		if step%16 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		out := t.Model.Step(next, nextX, s, x, policy(s, x, rng), rng)
		sum += weight * out.Reward
		if out.Done {
			break
		}
		weight *= t.Model.Spec.Discount
		s, next, x, nextX = next, s, nextX, x
	}
	return sum, nil
}

// Draws fills x with n draws from a belief, one behind the other: at equal distances of the weights where there are some, so
// that each point is drawn as often as its weight says, up to one more or less.
func Draws(x []float64, n int, b hidden.Belief, rng *rand.Rand) {
	dim := len(x) / n
	w, ok := b.(hidden.Weighted)
	if !ok {
		for i := range n {
			b.Draw(x[i*dim:(i+1)*dim], rng)
		}
		return
	}
	u, k := rng.Float64(), 0
	point, sum := w.At(0)
	for i := range n {
		for (float64(i)+u)/float64(n) >= sum && k < w.Len()-1 {
			k++
			next, p := w.At(k)
			if sum += p; p > 0 {
				point = next
			}
		}
		copy(x[i*dim:(i+1)*dim], point)
	}
}

// NeedActionList returns a *bcpace.UnsupportedError for a model some of whose actions have a Box.
func NeedActionList(m *hidden.Model, algorithm string) error {
	if m.Spec.HasBox() {
		return &bcpace.UnsupportedError{Model: m.Spec.Name, Algorithm: algorithm, Need: "a list of actions, without a Box; pomcpow and pft draw controls"}
	}
	return nil
}

// Guarded returns m with a Step, a LogDensity and a Rollout that panic with a *bcpace.ConformanceError where they return what no
// reward, no density and no action is. Plan returns that error.
func Guarded(m *hidden.Model) *hidden.Model {
	g := *m
	g.Step = func(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
		out := m.Step(next, nextX, s, x, action, rng)
		if !m.Spec.AllowsReward(out.Reward) {
			if err := m.Spec.CheckOutcome(out, next, s, action, -1); err != nil {
				panic(err)
			}
		}
		return out
	}
	if m.LogDensity != nil {
		g.LogDensity = func(s, x []float64, action int, next, nextX []float64) float64 {
			l, err := m.Weigh(s, x, action, next, nextX)
			if err != nil {
				panic(err)
			}
			return l
		}
	}
	if m.Rollout != nil {
		g.Rollout = func(s, x []float64, rng *rand.Rand) int {
			action := m.Rollout(s, x, rng)
			if !m.Spec.IsAction(action) {
				panic(m.Spec.Fault(s, -1, -1, "Rollout for hidden vector %v is action %d, want %s", x, action, m.Spec.WantAction()))
			}
			return action
		}
	}
	return &g
}
