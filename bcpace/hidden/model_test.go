package hidden_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// coin is a model of a hidden whole number from 0 to 3 that stays, of which each step shows a noisy reading: the number itself with
// probability 0.7, and each other one with 0.1. An episode ends after a step with probability 0.2·x.
func coin(density bool) *hidden.Model {
	m := &hidden.Model{
		Spec: hidden.Spec{
			Spec:   bcpace.Spec{Name: "coin", Axes: []bcpace.Axis{{Name: "reading", Max: 3, Discrete: true}}, Actions: bcpace.Actions("read"), Discount: 0.9, RewardMax: 1},
			Hidden: []bcpace.Axis{{Name: "number", Max: 3, Discrete: true}},
		},
		Prior: func(x []float64, rng *rand.Rand) { x[0] = float64(rng.IntN(4)) },
		Step: func(next, nextX, _, x []float64, _ int, rng *rand.Rand) bcpace.Outcome {
			nextX[0], next[0] = x[0], x[0]
			if rng.Float64() < 0.4 { // a quarter of these show the number all the same
				next[0] = float64(rng.IntN(4))
			}
			return bcpace.Outcome{Reward: 1, Done: rng.Float64() < 0.2*x[0]}
		},
	}
	if density {
		m.LogDensity = func(_, _ []float64, _ int, next, nextX []float64) float64 {
			if next[0] == nextX[0] {
				return math.Log(0.7)
			}
			return math.Log(0.1)
		}
	}
	return m
}

// TestDiscrete: with and without a density, particles have the exact posterior of readings after which the episode went on. With
// 20,000 particles its standard error is below 0.006, so a correct program fails with probability below 10⁻⁶.
func TestDiscrete(t *testing.T) {
	for _, density := range []bool{true, false} {
		m := coin(density)
		rng := rand.New(rand.NewPCG(1, 2))
		b, err := hidden.Particles{Number: 20_000}.Begin(m, []float64{0}, rng)
		if err != nil {
			t.Fatal(err)
		}
		exact := []float64{0.25, 0.25, 0.25, 0.25}
		for _, reading := range []float64{2, 1, 2} {
			if err := b.Update([]float64{0}, 0, []float64{reading}, rng); err != nil {
				t.Fatal(err)
			}
			total := 0.0
			for x := range exact {
				likelihood := 0.1
				if float64(x) == reading {
					likelihood = 0.7
				}
				exact[x] *= likelihood * (1 - 0.2*float64(x))
				total += exact[x]
			}
			got := make([]float64, 4)
			for i := range b.(hidden.Weighted).Len() {
				x, w := b.(hidden.Weighted).At(i)
				got[int(x[0])] += w
			}
			for x := range exact {
				exact[x] /= total
				if math.Abs(got[x]-exact[x]) > 0.03 {
					t.Errorf("density %v: number %d has probability %.3f, want %.3f", density, x, got[x], exact[x])
				}
			}
		}
	}
}

// TestImpossible: what no particle explains is an error, and the belief goes on with what could have followed.
func TestImpossible(t *testing.T) {
	for _, density := range []bool{true, false} {
		m := coin(density)
		m.Step = func(next, nextX, _, x []float64, _ int, _ *rand.Rand) bcpace.Outcome {
			next[0], nextX[0] = 0, x[0]
			return bcpace.Outcome{}
		}
		if density {
			m.LogDensity = func(_, _ []float64, _ int, next, _ []float64) float64 {
				if next[0] == 0 {
					return 0
				}
				return math.Inf(-1)
			}
		}
		rng := rand.New(rand.NewPCG(1, 2))
		b, err := hidden.Particles{Number: 100}.Begin(m, []float64{0}, rng)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Update([]float64{0}, 0, []float64{3}, rng); !errors.As(err, new(*hidden.ImpossibleError)) {
			t.Errorf("density %v: %v, want an ImpossibleError", density, err)
		}
		if err := b.Update([]float64{0}, 0, []float64{0}, rng); err != nil {
			t.Errorf("density %v: after it %v", density, err)
		}
	}
}

// TestValidate: models that cannot be used are refused, and those that leave their axes are named.
func TestValidate(t *testing.T) {
	for name, change := range map[string]func(*hidden.Model){
		"no prior":     func(m *hidden.Model) { m.Prior = nil },
		"no step":      func(m *hidden.Model) { m.Step = nil },
		"no axis":      func(m *hidden.Model) { m.Spec.Hidden = nil },
		"a latent":     func(m *hidden.Model) { m.Spec.Latents = []string{"a"} },
		"NaN axis":     func(m *hidden.Model) { m.Spec.Hidden[0].Max = math.NaN() },
		"no actions":   func(m *hidden.Model) { m.Spec.Actions = nil },
		"odd Gaussian": func(m *hidden.Model) { m.Gaussian = &hidden.Gaussian{} },
	} {
		m := coin(true)
		change(m)
		if _, err := hidden.Simulate(t.Context(), m, hidden.RandomPolicy(m), hidden.Options{Episodes: 1}); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%s: %v, want an InputError", name, err)
		}
	}
	m := coin(true)
	m.Step = func(next, nextX, _, _ []float64, _ int, _ *rand.Rand) bcpace.Outcome {
		next[0], nextX[0] = 0, 7
		return bcpace.Outcome{}
	}
	if _, err := hidden.Simulate(t.Context(), m, hidden.RandomPolicy(m), hidden.Options{Episodes: 1}); !errors.As(err, new(*bcpace.ConformanceError)) {
		t.Errorf("a hidden number of 7: %v, want a ConformanceError", err)
	}
}
