package despot_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/online/despot"
)

// TestRandomDefault: whatever Model.Bounds say, a random default policy leads to a look and then a guess.
func TestRandomDefault(t *testing.T) {
	for name, bounds := range map[string][2]float64{"infinite": {math.Inf(-1), math.Inf(1)}, "wide": {-1, 1}, "equal": {0.67, 0.67}} {
		m := plannertest.Guess(0.1)
		m.Bounds = func(_, _ []float64) (lower, upper float64) { return bounds[0], bounds[1] }
		p, err := despot.Solver{Scenarios: 100, RandomDefault: true, Budget: bcpace.Budget{Simulations: 40, Depth: 20}}.Planner(m)
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.Plan(t.Context(), []float64{0}, plannertest.Begin(t, m, []float64{0}), rand.New(rand.NewPCG(1, 2)))
		if err != nil || d.Action != 0 {
			t.Errorf("%s bounds: %+v, %v: want a look", name, d, err)
		}
	}
}

// TestCrossed: a lower bound above the upper one is the model's fault, which the error names.
func TestCrossed(t *testing.T) {
	for _, bounds := range [][2]float64{{1, -1}, {math.NaN(), 1}, {0, math.NaN()}} {
		m := plannertest.Guess(0.1)
		m.Bounds = func(_, _ []float64) (lower, upper float64) { return bounds[0], bounds[1] }
		p, err := despot.Solver{}.Planner(m)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Plan(t.Context(), []float64{0}, plannertest.Begin(t, m, []float64{0}), rand.New(rand.NewPCG(1, 2)))
		if !errors.As(err, new(*bcpace.ConformanceError)) || !strings.Contains(err.Error(), "Bounds for hidden vector") {
			t.Errorf("bounds %v: %v", bounds, err)
		}
	}
}

// TestDefaultsDiffer: where Model.Bounds have the same lower bound everywhere, and after few trials, a random default policy values
// a look by other bounds.
func TestDefaultsDiffer(t *testing.T) {
	m := plannertest.Guess(0.1)
	m.Bounds = func(_, _ []float64) (lower, upper float64) { return -0.5, 1 }
	var worth []float64
	for _, random := range []bool{false, true} {
		p, err := despot.Solver{RandomDefault: random, Budget: bcpace.Budget{Simulations: 1, Depth: 20}}.Planner(m)
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.Plan(t.Context(), []float64{0}, plannertest.Begin(t, m, []float64{0}), rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		worth = append(worth, d.Q[0])
	}
	if math.Abs(worth[0]-worth[1]) < 0.05 {
		t.Errorf("a look is worth %v by both default policies", worth)
	}
}

// TestVectorsBadInput: what cannot be used is an error that says what would be right.
func TestVectorsBadInput(t *testing.T) {
	for _, s := range []despot.Solver{
		{Scenarios: -1}, {Scenarios: 1e7}, {Regularisation: -1}, {Regularisation: math.NaN()}, {Regularisation: math.Inf(1)},
		{Budget: bcpace.Budget{Simulations: -1}}, {Budget: bcpace.Budget{Time: -1}},
	} {
		if _, err := s.Planner(plannertest.Guess(0.1)); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%+v: error %v, want an InputError", s, err)
		}
	}
	m := plannertest.Guess(0.1)
	m.Spec.Actions[0].Box = []bcpace.Axis{{Name: "u", Max: 1}}
	if _, err := (despot.Solver{}).Planner(m); !errors.As(err, new(*bcpace.UnsupportedError)) {
		t.Errorf("error %v, want an UnsupportedError for a Box", err)
	}
	if _, err := (despot.Solver{}).Planner(&hidden.Model{}); !errors.As(err, new(*bcpace.InputError)) {
		t.Errorf("error %v, want an InputError for an empty model", err)
	}
}
