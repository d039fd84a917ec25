package hiddentest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// Guess returns a problem with a value that is known: x is uniform in [0, 1] and static. To look shows whether x is above ½, wrongly
// with probability error; to guess ends the episode, and pays 1 if it is right and −1 if not. A look costs 0.05, so that
// one and then a guess is worth 0.9·(1 − 2·error) − 0.05, with a discount of 0.9, if a second look pays nothing.
func Guess(wrong float64) *hidden.Model {
	return &hidden.Model{
		Spec: hidden.Spec{
			Spec:   bcpace.Spec{Name: "guess", Axes: []bcpace.Axis{{Name: "seen", Labels: []string{"nothing", "low", "high"}, Max: 2}}, Actions: bcpace.Actions("look", "low", "high"), Discount: 0.9, RewardMin: -1, RewardMax: 1},
			Hidden: []bcpace.Axis{{Name: "x", Max: 1}},
		},
		Prior: func(x []float64, rng *rand.Rand) { x[0] = rng.Float64() },
		Step: func(next, nextX, _, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
			nextX[0], next[0] = x[0], 0
			high := x[0] > 0.5
			if action > 0 {
				if high == (action == 2) {
					return bcpace.Outcome{Reward: 1, Done: true}
				}
				return bcpace.Outcome{Reward: -1, Done: true}
			}
			if next[0] = 1; high != (rng.Float64() < wrong) {
				next[0] = 2
			}
			return bcpace.Outcome{Reward: -0.05}
		},
		LogDensity: func(_, x []float64, action int, next, _ []float64) float64 {
			if action > 0 || next[0] == 0 {
				return math.Inf(-1)
			}
			if (x[0] > 0.5) == (next[0] == 2) {
				return math.Log(1 - wrong)
			}
			return math.Log(wrong)
		},
	}
}

// Corners tests what a planner does where models are at their limits: it ends, within its budget, with an action that is right;
// or it has an error that says what is wrong. dense says that the planner asks for the density.
func Corners(t *testing.T, make Maker, dense bool) {
	t.Helper()
	const wrong = 0.1
	plan := func(t *testing.T, m *hidden.Model, s []float64) (bcpace.Decision, error) {
		t.Helper()
		return New(t, make, m).Plan(t.Context(), s, Begin(t, m, s), rand.New(rand.NewPCG(1, 2)))
	}
	looks := func(t *testing.T, m *hidden.Model) {
		t.Helper()
		if d, err := plan(t, m, []float64{0}); err != nil || d.Action != 0 || d.Simulations < 1 {
			t.Errorf("%+v, %v: want a look", d, err)
		}
	}
	t.Run("all states end", func(t *testing.T) {
		m := Guess(wrong)
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
		m := Guess(wrong)
		m.Bounds = func(_, _ []float64) (lower, upper float64) { return 0.67, 0.67 }
		looks(t, m)
	})
	t.Run("infinite bounds", func(t *testing.T) {
		m := Guess(wrong)
		m.Bounds = func(_, _ []float64) (lower, upper float64) { return math.Inf(-1), math.Inf(1) }
		looks(t, m)
	})
	t.Run("a likelihood that is zero", func(t *testing.T) {
		m := Guess(wrong)
		m.LogDensity = func(_, _ []float64, _ int, _, _ []float64) float64 { return math.Inf(-1) }
		if d, err := plan(t, m, []float64{0}); err != nil || d.Action < 0 {
			t.Errorf("%+v, %v: want an action", d, err)
		}
	})
	t.Run("faults", func(t *testing.T) { faults(t, plan, dense) })
	t.Run("cancelled", func(t *testing.T) {
		m := Guess(wrong)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		d, err := New(t, make, m).Plan(ctx, []float64{0}, Begin(t, m, []float64{0}), rand.New(rand.NewPCG(1, 1)))
		if !errors.Is(err, context.Canceled) || !m.Spec.IsAction(d.Action) {
			t.Errorf("%+v, %v: want an action and the error of the context", d, err)
		}
	})
	t.Run("again", func(t *testing.T) {
		m := Guess(wrong)
		var means []float64
		for _, workers := range []int{1, 3} {
			r, err := hidden.Simulate(t.Context(), m, New(t, make, m), hidden.Options{Episodes: 12, Seed: 3, Workers: workers, Filter: hidden.Particles{Number: 60}})
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
		m := Guess(0.1)
		breaks(m)
		if d, err := plan(t, m, []float64{0}); !errors.As(err, new(*bcpace.ConformanceError)) || d.Action != -1 {
			t.Errorf("%s: %+v, %v: want a ConformanceError", what, d, err)
		}
	}
}
