// Package hiddentest has what tests of planners over a hidden vector share.
package hiddentest

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/envs"
)

// Maker makes a planner, as the method Planner of a solver does.
type Maker func(m *hidden.Model) (hidden.Planner, error)

// New returns the planner of m.
func New(t testing.TB, make Maker, m *hidden.Model) hidden.Planner {
	t.Helper()
	p, err := make(m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// FromModel returns the model of a list of latents, with upper bounds by the values of the latents.
func FromModel(t testing.TB, m bcpace.Model) *hidden.Model {
	t.Helper()
	h, err := hidden.FromModel(m)
	if err != nil {
		t.Fatal(err)
	}
	q, err := dp.SolveLatent(t.Context(), h.Listed)
	if err != nil {
		t.Fatal(err)
	}
	best := func(s, x []float64) (top float64, action int) {
		top = math.Inf(-1)
		for a := range h.Spec.Actions {
			if v := q.Q(s, int(x[0]), a); v > top {
				top, action = v, a
			}
		}
		return top, action
	}
	h.Bounds = func(s, x []float64) (lower, upper float64) {
		upper, _ = best(s, x)
		return math.Inf(-1), upper
	}
	h.Rollout = func(s, x []float64, _ *rand.Rand) int {
		_, a := best(s, x)
		return a
	}
	return h
}

// Begin returns the default belief of m in state s.
func Begin(t testing.TB, m *hidden.Model, s []float64) hidden.Belief {
	t.Helper()
	b, err := hidden.DefaultFilter(m).Begin(m, s, rand.New(rand.NewPCG(7, 7)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// NearsTheOptimum tests decisions in random models with lists of latents, which move in two of three, against exact dynamic
// programming: the action loses at most 2 % of the range of values. The seeds are fixed.
func NearsTheOptimum(t *testing.T, make Maker, models uint64) {
	t.Helper()
	for seed := range models {
		rng := rand.New(rand.NewPCG(seed, 5))
		m, at := plannertest.Random(t, rng, seed, 3, 0.4)
		best, err := eval.Optimal(t.Context(), m, eval.ExactOptions{State: at.State, Belief: at.Belief, Tolerance: 0.05})
		if err != nil {
			t.Fatal(err)
		}
		h := FromModel(t, m)
		d, err := New(t, make, h).Plan(t.Context(), at.State, Begin(t, h, at.State), rng)
		if err != nil {
			t.Fatal(err)
		}
		spec := m.Spec()
		if loss := best.Value - best.Q[d.Action]; loss > 0.02*(spec.VMax()-spec.VMin()) {
			t.Errorf("model %d: action %d loses %v of %v", seed, d.Action, loss, best.Value)
		}
	}
}

// EarnsTheOptimum tests that a planner earns in so many episodes of Tiger, which ends after a door, what is optimal by dynamic
// programming: to within five standard errors, which are missed with probability 6·10⁻⁷, and 0.5 for the finite budget.
func EarnsTheOptimum(t *testing.T, make Maker, episodes int) {
	t.Helper()
	m := envs.Tiger{Ends: true}
	best, err := eval.Optimal(t.Context(), m, eval.ExactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	h := FromModel(t, m)
	r, err := hidden.Simulate(t.Context(), h, New(t, make, h), hidden.Options{Episodes: episodes, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Mean < best.Value-5*r.StdErr-0.5 || r.Mean > best.Value+5*r.StdErr {
		t.Errorf("mean %v ± %v, want %v", r.Mean, r.StdErr, best.Value)
	}
	if r.Surprises != 0 {
		t.Errorf("%d surprises of an exact belief", r.Surprises)
	}
}
