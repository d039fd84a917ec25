package vectors_test

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

// maker makes a planner, as the method Planner of a solver does.
type maker func(m *hidden.Model) (hidden.Planner, error)

// planner returns the planner of m.
func planner(t testing.TB, of maker, m *hidden.Model) hidden.Planner {
	t.Helper()
	p, err := of(m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// informed returns the model of a list of latents, with upper bounds by the values of the latents.
func informed(t testing.TB, m bcpace.Model) *hidden.Model {
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

// nearTheOptimum tests decisions in random models with lists of latents, which move in two of three, against exact dynamic
// programming: the action loses at most 2 % of the range of values. The seeds are fixed.
func nearTheOptimum(t *testing.T, of maker, models uint64) {
	t.Helper()
	for seed := range models {
		rng := rand.New(rand.NewPCG(seed, 5))
		m, at := plannertest.Random(t, rng, seed, 3, 0.4)
		best, err := eval.Optimal(t.Context(), m, eval.ExactOptions{State: at.State, Belief: at.Belief, Tolerance: 0.05})
		if err != nil {
			t.Fatal(err)
		}
		h := informed(t, m)
		d, err := planner(t, of, h).Plan(t.Context(), at.State, plannertest.Begin(t, h, at.State), rng)
		if err != nil {
			t.Fatal(err)
		}
		spec := m.Spec()
		if loss := best.Value - best.Q[d.Action]; loss > 0.02*(spec.VMax()-spec.VMin()) {
			t.Errorf("model %d: action %d loses %v of %v", seed, d.Action, loss, best.Value)
		}
	}
}

// earnTheOptimum tests that a planner earns in so many episodes of Tiger, which ends after a door, what is optimal by dynamic
// programming: to within five standard errors, which are missed with probability 6·10⁻⁷, and 0.5 for the finite budget.
func earnTheOptimum(t *testing.T, of maker, episodes int) {
	t.Helper()
	m := envs.Tiger{Ends: true}
	best, err := eval.Optimal(t.Context(), m, eval.ExactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	h := informed(t, m)
	r, err := hidden.Simulate(t.Context(), h, planner(t, of, h), hidden.Options{Episodes: episodes, Seed: 1})
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
