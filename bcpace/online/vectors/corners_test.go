package vectors_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/plannertest"
)

// endInCorners tests what a planner does where models are at their limits: it ends, within its budget, with an action that is right;
// or it has an error that says what is wrong. dense says that the planner asks for the density.
func endInCorners(t *testing.T, of maker, dense bool) {
	t.Helper()
	const wrong = 0.1
	plan := func(t *testing.T, m *hidden.Model, s []float64) (bcpace.Decision, error) {
		t.Helper()
		return planner(t, of, m).Plan(t.Context(), s, plannertest.Begin(t, m, s), rand.New(rand.NewPCG(1, 2)))
	}
	looks := func(t *testing.T, m *hidden.Model) {
		t.Helper()
		if d, err := plan(t, m, []float64{0}); err != nil || d.Action != 0 || d.Simulations < 1 {
			t.Errorf("%+v, %v: want a look", d, err)
		}
	}
	t.Run("all states end", func(t *testing.T) {
		m := plannertest.Guess(wrong)
		step := m.Step
		m.Step = func(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
			out := step(next, nextX, s, x, action, rng)
			return bcpace.Outcome{Reward: out.Reward, Done: true}
		}
		if d, err := plan(t, m, []float64{0}); err != nil || d.Action < 0 {
			t.Errorf("%+v, %v: want an action", d, err)
		}
	})
	t.Run("bounds that coincide", func(t *testing.T) {
		m := plannertest.Guess(wrong)
		m.Bounds = func(_, _ []float64) (lower, upper float64) { return 0.67, 0.67 }
		looks(t, m)
	})
	t.Run("infinite bounds", func(t *testing.T) {
		m := plannertest.Guess(wrong)
		m.Bounds = func(_, _ []float64) (lower, upper float64) { return math.Inf(-1), math.Inf(1) }
		looks(t, m)
	})
	t.Run("a likelihood that is zero", func(t *testing.T) {
		m := plannertest.Guess(wrong)
		m.LogDensity = func(_, _ []float64, _ int, _, _ []float64) float64 { return math.Inf(-1) }
		if d, err := plan(t, m, []float64{0}); err != nil || d.Action < 0 {
			t.Errorf("%+v, %v: want an action", d, err)
		}
	})
	t.Run("faults", func(t *testing.T) { faults(t, plan, dense) })
	t.Run("cancelled", func(t *testing.T) {
		m := plannertest.Guess(wrong)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		d, err := planner(t, of, m).Plan(ctx, []float64{0}, plannertest.Begin(t, m, []float64{0}), rand.New(rand.NewPCG(1, 1)))
		if !errors.Is(err, context.Canceled) || !m.Spec.IsAction(d.Action) {
			t.Errorf("%+v, %v: want an action and the error of the context", d, err)
		}
	})
	t.Run("again", func(t *testing.T) {
		m := plannertest.Guess(wrong)
		var means []float64
		for _, workers := range []int{1, 3} {
			r, err := hidden.Simulate(t.Context(), m, planner(t, of, m), hidden.Options{Episodes: 12, Seed: 3, Workers: workers, Filter: hidden.Particles{Number: 60}})
			if err != nil {
				t.Fatal(err)
			}
			means = append(means, r.Mean)
		}
		if means[0] != means[1] {
			t.Errorf("mean return %v with one worker, %v with three", means[0], means[1])
		}
	})
}

// faults tests models that break their contract.
func faults(t *testing.T, plan func(*testing.T, *hidden.Model, []float64) (bcpace.Decision, error), dense bool) {
	t.Helper()
	change := map[string]func(*hidden.Model){
		"Step": func(m *hidden.Model) {
			m.Step = func(next, nextX, _, x []float64, _ int, _ *rand.Rand) bcpace.Outcome {
				next[0], nextX[0] = 1, x[0]
				return bcpace.Outcome{Reward: math.NaN()}
			}
		},
		"Rollout to no action": func(m *hidden.Model) {
			m.Rollout = func(_, _ []float64, _ *rand.Rand) int { return 3 }
		},
		"Rollout": func(m *hidden.Model) {
			m.Rollout = func(_, _ []float64, _ *rand.Rand) int { panic("no action") }
		},
	}
	if dense {
		change["LogDensity"] = func(m *hidden.Model) {
			m.LogDensity = func(_, _ []float64, _ int, _, _ []float64) float64 { return math.NaN() }
		}
	}
	for what, breaks := range change {
		m := plannertest.Guess(0.1)
		breaks(m)
		if d, err := plan(t, m, []float64{0}); !errors.As(err, new(*bcpace.ConformanceError)) || d.Action != -1 {
			t.Errorf("%s: %+v, %v: want a ConformanceError", what, d, err)
		}
	}
}
