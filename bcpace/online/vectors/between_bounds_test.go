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
	"bayescpace/bcpace/internal/randmodel"
)

// loseLittleBetweenBounds tests decisions, with trees of some depths, in random models whose Bounds hold: no model is refused, and decisions
// lose little by exact dynamic programming, also where the depth cuts off most of the value. Half of the steps tell the latent, so that most
// particles have no weight; Bounds cross where the latent cannot be the one that was told. Rewards are costs in a third of the models, of
// either sign in another one, and never costs in the last one. The seeds are fixed.
func loseLittleBetweenBounds(t *testing.T, of func(b bcpace.Budget) func(m *hidden.Model) (hidden.Planner, error), models uint64) {
	t.Helper()
	told := []bcpace.Belief{{0.5, 0.5, 0, 0}, {0.5, 0, 0.5, 0}, {0.5, 0, 0, 0.5}} // half of the steps tell the latent
	for seed := range models {
		rng := rand.New(rand.NewPCG(seed, 6))
		m := randmodel.WithReadings(randmodel.New(rng, randmodel.Options{States: 3, Latents: 3, Actions: 3, Branch: 2, Discount: 0.5,
			Reward: func(rng *rand.Rand) float64 { return 20*rng.Float64() - 10*float64(seed%3) }}), told)
		starts, err := bcpace.StartsOf(m)
		if err != nil {
			t.Fatal(err)
		}
		at := starts[0]
		best, err := eval.Optimal(t.Context(), m, eval.ExactOptions{State: at.State, Belief: at.Belief, Tolerance: 0.05})
		if err != nil {
			t.Fatal(err)
		}
		b, err := dp.SolveBounds(t.Context(), m, 0)
		if err != nil {
			t.Fatal(err)
		}
		blind, _ := b.Blind.Best(at.State, at.Belief)
		h := informed(t, m)
		h.Spec.Axes[1].Scale = 0 // or what was told would not tell nodes apart
		informed := h.Bounds
		h.Bounds = func(s, x []float64) (lower, upper float64) {
			latent := int(x[0])
			if told := int(s[1]) - 1; told >= 0 && told != latent {
				return 1, -1
			}
			_, upper = informed(s, x)
			return b.Blind.Lower(s, bcpace.OneHot(3, latent), blind), upper
		}
		for depth := 1; depth <= 4; depth++ {
			d, err := planner(t, of(bcpace.Budget{Simulations: 30, Depth: depth}), h).Plan(t.Context(), at.State, plannertest.Begin(t, h, at.State), rng)
			if err != nil {
				t.Fatalf("model %d, depth %d: %v", seed, depth, err)
			}
			spec := m.Spec()
			if loss := (best.Value - best.Q[d.Action]) / (spec.VMax() - spec.VMin()); loss > 0.05/float64(depth) {
				t.Errorf("model %d, depth %d: action %d loses %v of the range of values", seed, depth, d.Action, loss)
			}
		}
	}
}

// countCutCosts tests decisions whose depth is cut while costs go on: to stay costs 1 at each step, and to leave 4 once, which is best unless the
// episode ends after few steps. Steps that are not looked at cost what Bounds say.
func countCutCosts(t *testing.T, of func(b bcpace.Budget) func(m *hidden.Model) (hidden.Planner, error)) {
	t.Helper()
	const stay, leave, γ = 0, 1, 0.9
	for _, x := range []struct {
		lower, upper float64
		horizon      int
		want         int
	}{{-1 / (1 - γ), -4, 0, leave}, {-4, -4, 0, leave}, {math.Inf(-1), -4, 0, leave}, {-1 - γ - γ*γ, -1 - γ - γ*γ, 3, stay}} {
		m := &hidden.Model{
			Spec: hidden.Spec{
				Spec:   bcpace.Spec{Name: "toll", Axes: []bcpace.Axis{{Name: "nothing", Max: 1, Discrete: true}}, Actions: bcpace.Actions("stay", "leave"), Discount: γ, RewardMin: -4, Horizon: x.horizon},
				Hidden: []bcpace.Axis{{Name: "x", Max: 1, Discrete: true}},
			},
			Prior: func(x []float64, rng *rand.Rand) { x[0] = float64(rng.IntN(2)) },
			Step: func(next, nextX, _, x []float64, action int, _ *rand.Rand) bcpace.Outcome {
				next[0], nextX[0] = 0, x[0]
				return bcpace.Outcome{Reward: float64(-1 - 3*action), Done: action == leave}
			},
			LogDensity: func(_, _ []float64, _ int, next, _ []float64) float64 { return math.Log(1 - next[0]) },
			Bounds:     func(_, _ []float64) (lower, upper float64) { return x.lower, x.upper },
		}
		for depth := max(1, x.horizon); depth <= 4; depth++ {
			d, err := planner(t, of(bcpace.Budget{Simulations: 10, Depth: depth}), m).Plan(t.Context(), []float64{0}, plannertest.Begin(t, m, []float64{0}), rand.New(rand.NewPCG(1, 1)))
			if err != nil || d.Action != x.want {
				t.Errorf("%+v, depth %d: %+v, %v", x, depth, d, err)
			}
		}
	}
}
