package despot_test

import (
	"errors"
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/hidden/despot"
	"bayescpace/bcpace/hidden/internal/hiddentest"
)

func TestNearsTheOptimum(t *testing.T) {
	hiddentest.NearsTheOptimum(t, despot.Solver{Scenarios: 10_000, Budget: bcpace.Budget{Simulations: 100, Depth: 6}}.Planner, 6)
}

func TestTiger(t *testing.T) {
	hiddentest.EarnsTheOptimum(t, despot.Solver{Scenarios: 200, Budget: bcpace.Budget{Simulations: 50, Depth: 20}}.Planner, 100)
}

func TestCorners(t *testing.T) {
	hiddentest.Corners(t, despot.Solver{Scenarios: 100, Budget: bcpace.Budget{Simulations: 40, Depth: 20}}.Planner, false)
}

// TestBadInput: what cannot be used is an error that says what would be right.
func TestBadInput(t *testing.T) {
	for _, s := range []despot.Solver{
		{Scenarios: -1}, {Scenarios: 1e7}, {Regularisation: -1}, {Regularisation: math.NaN()}, {Regularisation: math.Inf(1)},
		{Budget: bcpace.Budget{Simulations: -1}}, {Budget: bcpace.Budget{Time: -1}},
	} {
		if _, err := s.Planner(hiddentest.Guess(0.1)); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%+v: error %v, want an InputError", s, err)
		}
	}
	m := hiddentest.Guess(0.1)
	m.Spec.Actions[0].Box = []bcpace.Axis{{Name: "u", Max: 1}}
	if _, err := (despot.Solver{}).Planner(m); !errors.As(err, new(*bcpace.UnsupportedError)) {
		t.Errorf("error %v, want an UnsupportedError for a Box", err)
	}
	if _, err := (despot.Solver{}).Planner(&hidden.Model{}); !errors.As(err, new(*bcpace.InputError)) {
		t.Errorf("error %v, want an InputError for an empty model", err)
	}
}
