package hidden_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// TestPanics: a function of the model that panics is a ConformanceError wherever it is called, and a belief stays as it was.
//
//test:race
func TestPanics(t *testing.T) {
	good := func() *hidden.Model { return randomLinear(rand.New(rand.NewPCG(1, 1)), 1, 1).model() }
	broken := map[string]func(m *hidden.Model){
		"Prior": func(m *hidden.Model) { m.Prior = func([]float64, *rand.Rand) { panic("lost") } },
		"Start": func(m *hidden.Model) { m.Start = func([]float64, []float64, *rand.Rand) { panic("lost") } },
		"Step": func(m *hidden.Model) {
			m.Step = func(_, _, _, _ []float64, _ int, _ *rand.Rand) bcpace.Outcome { panic("lost") }
		},
		"LogDensity": func(m *hidden.Model) {
			m.LogDensity = func(_, _ []float64, _ int, _, _ []float64) float64 { panic("lost") }
		},
		"Observe": func(m *hidden.Model) {
			m.Gaussian.Observe = func(_, _ []float64, _ int, _ []float64) { panic("lost") }
		},
	}
	filters := map[string]hidden.Filter{"particles": hidden.Particles{Number: 20}, "unscented": hidden.Unscented{}, "grid": hidden.Grid{Cells: 1000}}
	reads := map[string][]string{"particles": {"Step", "LogDensity"}, "unscented": {"Observe"}, "grid": {"Observe"}}
	fault := func(err error) bool { return errors.As(err, new(*bcpace.ConformanceError)) }
	for what, breaks := range broken {
		m := good()
		breaks(m)
		filter := hidden.Filter(hidden.Particles{Number: 20})
		if what == "Observe" {
			filter = hidden.Unscented{}
		}
		if _, err := hidden.Simulate(t.Context(), m, hidden.RandomPolicy(m), hidden.Options{Episodes: 4, Horizon: 2, Workers: 2, Filter: filter}); !fault(err) {
			t.Errorf("%s in Simulate: %v, want a ConformanceError", what, err)
		}
		if _, err := hidden.Episode(t.Context(), m, hidden.RandomPolicy(m), hidden.Options{Horizon: 2, Filter: filter}, 0); !fault(err) {
			t.Errorf("%s in Episode: %v, want a ConformanceError", what, err)
		}
	}
	for name, f := range filters {
		for _, what := range reads[name] {
			m, rng := good(), rand.New(rand.NewPCG(1, 1))
			b, err := f.Begin(m, []float64{0}, rng)
			if err != nil {
				t.Fatal(err)
			}
			var before, variance, after [1]float64
			b.Moments(before[:], variance[:])
			broken[what](m)
			if err := b.Update([]float64{0}, 0, []float64{1}, rng); !fault(err) {
				t.Errorf("%s, %s: %v, want a ConformanceError", name, what, err)
			}
			if b.Moments(after[:], variance[:]); after != before {
				t.Errorf("%s, %s: mean %v after the error, want %v", name, what, after, before)
			}
		}
	}
	m := good()
	broken["Prior"](m)
	if _, err := (hidden.Particles{}).Begin(m, []float64{0}, rand.New(rand.NewPCG(1, 1))); !fault(err) {
		t.Errorf("Begin: %v, want a ConformanceError", err)
	}
}

// TestNoNumbers: means and deviations that are no numbers are an error that says so, before they are a belief.
func TestNoNumbers(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1)} {
		for what, breaks := range map[string]func(g *hidden.Gaussian){
			"Move":         func(g *hidden.Gaussian) { g.Move = func(mean, _, _ []float64, _ int) { mean[0] = x } },
			"MoveNoise":    func(g *hidden.Gaussian) { g.MoveNoise = func(d, _, _ []float64, _ int) { d[0] = x } },
			"Observe":      func(g *hidden.Gaussian) { g.Observe = func(mean, _ []float64, _ int, _ []float64) { mean[0] = x } },
			"ObserveNoise": func(g *hidden.Gaussian) { g.ObserveNoise = func(d, _ []float64, _ int, _ []float64) { d[0] = x } },
		} {
			m := randomLinear(rand.New(rand.NewPCG(1, 1)), 1, 1).model()
			breaks(m.Gaussian)
			b, err := hidden.Unscented{}.Begin(m, []float64{0}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Update([]float64{0}, 0, []float64{1}, nil); !errors.As(err, new(*bcpace.ConformanceError)) {
				t.Errorf("%s of %v: %v, want a ConformanceError", what, x, err)
			}
		}
		m := randomLinear(rand.New(rand.NewPCG(1, 1)), 1, 1).model()
		b, err := hidden.Unscented{}.Begin(m, []float64{0}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Update([]float64{0}, 0, []float64{x}, nil); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("next state of %v: %v, want an InputError", x, err)
		}
	}
}

// TestHalfOfAThing: a hidden entry of whole numbers that is another one is an error that says which.
func TestHalfOfAThing(t *testing.T) {
	m := randomLinear(rand.New(rand.NewPCG(1, 1)), 1, 1).model()
	m.Gaussian = nil
	m.Spec.Hidden[0].Discrete = true
	_, err := hidden.Simulate(t.Context(), m, hidden.RandomPolicy(m), hidden.Options{Episodes: 1})
	if !errors.As(err, new(*bcpace.ConformanceError)) || !strings.Contains(err.Error(), "whole number") {
		t.Errorf("got %v, want a *ConformanceError about whole numbers", err)
	}
}
