package check_test

import (
	"errors"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/dp"
	"bayescpace/envs"
)

// spoiled is a model whose values and bounds are moved where the reading is "none".
type spoiled struct {
	bcpace.Finite
	bcpace.DeterministicLatent
	values                dp.LatentMaxima
	bounds                bcpace.ValueBounds
	q, most, lower, upper float64
	action                int
}

func (m spoiled) at(s []float64, x float64) float64 {
	if s[2] == 0 {
		return x
	}
	return 0
}

func (m spoiled) Q(s []float64, latent, action int) float64 {
	return m.values.Q(s, latent, action) + m.at(s, m.q)
}

func (m spoiled) Max(s []float64, latent int) float64 {
	return m.values.Max(s, latent) + m.at(s, m.most)
}

func (m spoiled) Lower(s []float64, b bcpace.Belief) (float64, int) {
	v, a := m.bounds.Lower(s, b)
	return v + m.at(s, m.lower), a + m.action
}

func (m spoiled) Upper(s []float64, b bcpace.Belief) float64 {
	return m.bounds.Upper(s, b) + m.at(s, m.upper)
}

// TestOwnValues expects faults in what a model says of its own values to be named.
func TestOwnValues(t *testing.T) {
	m, err := envs.RockSample{Size: 3, Rocks: 3}.Model()
	if err != nil {
		t.Fatal(err)
	}
	f, _ := bcpace.AsFinite(m)
	for words, x := range map[string]spoiled{
		"":                          {},
		"by the values that follow": {q: 0.1},
		"want the largest Q":        {most: 0.1},
		"by Upper there":            {upper: 5},
		"by Lower there":            {lower: -5},
		"one at most the other":     {lower: 100},
		"an action of the model":    {action: 100},
	} {
		x.Finite, x.DeterministicLatent, x.values, x.bounds = f, m.(bcpace.DeterministicLatent), m.(dp.LatentMaxima), m.(bcpace.ValueBounds)
		err := check.Model(x, check.Options{Episodes: 5, Transitions: 20, Draws: 200})
		var fault *bcpace.ConformanceError
		switch {
		case words == "" && err != nil:
			t.Errorf("a sound model: %v", err)
		case words != "" && (!errors.As(err, &fault) || !strings.Contains(err.Error(), words)):
			t.Errorf("error %v, want one that says %q", err, words)
		}
	}
}

// walk is a model without a discount and a horizon: a step to the goal, the last cell, costs 1. It knows its values,
// off by wrong in one cell.
type walk struct {
	bcpace.Finite
	wrong float64
}

func (m walk) Q(s []float64, _, _ int) float64 {
	if s[0] == 1 {
		return s[0] - 4 + m.wrong
	}
	return s[0] - 4
}

// TestOwnGoalValues is TestOwnValues where values have no bound that the rewards tell.
func TestOwnGoalValues(t *testing.T) {
	m, err := bcpace.FromOutcomes(bcpace.Outcomes{
		Spec: bcpace.Spec{Name: "walk", Axes: []bcpace.Axis{{Name: "x", Max: 4, Discrete: true}},
			Actions: bcpace.Actions("on"), Latents: []string{"one"}, RewardMin: -1, Discount: 1, Goal: true},
		Starts: []bcpace.Transition{{Next: []float64{0}, Prob: 1}},
		Transitions: func(s []float64, _, _ int) []bcpace.Transition {
			return []bcpace.Transition{{Next: []float64{s[0] + 1}, Prob: 1, Reward: -1, Done: s[0] == 3}}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := check.Model(walk{Finite: m}, check.Options{}); err != nil {
		t.Errorf("a sound model: %v", err)
	}
	if err := check.Model(walk{m, 0.1}, check.Options{}); !errors.As(err, new(*bcpace.ConformanceError)) {
		t.Errorf("error %v, want a wrong value", err)
	}
}
