package solvertest

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/solvers"
)

// belfry has a prize at one end and a fall at the other, and a bell that tells which is where. It is
// made of functions that step and say how likely a step is, and lists nothing. whole says that places
// are whole numbers.
func belfry(t *testing.T, whole bool) bcpace.Model {
	t.Helper()
	sigma := 0.1
	spec := bcpace.Spec{Name: "belfry", Discount: 0.95, RewardMin: -100, RewardMax: 10,
		Axes:    []bcpace.Axis{{Name: "place", Max: 4, Discrete: whole}, {Name: "heard", Max: 1, Discrete: true}},
		Actions: bcpace.Actions("left", "right", "listen"), Latents: []string{"prize at the left", "prize at the right"}}
	if whole {
		sigma = 0
	}
	right := func(latent int) float64 { return 0.1 + 0.8*float64(latent) } // that the bell is heard at the right
	m, err := bcpace.FromFuncs(bcpace.Funcs{Spec: spec,
		Start: func(s []float64, _ int, _ *rand.Rand) { s[0], s[1] = 2, 0 },
		Step: func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
			next[0], next[1] = s[0], 0
			if action == 2 {
				if rng.Float64() < right(latent) {
					next[1] = 1
				}
				return bcpace.Outcome{Reward: -1}
			}
			next[0] = min(max(s[0]+float64(2*action-1)+sigma*rng.NormFloat64(), 0), 4)
			switch next[0] {
			case float64(4 * latent):
				return bcpace.Outcome{Reward: 10, Done: true}
			case float64(4 - 4*latent):
				return bcpace.Outcome{Reward: -100, Done: true}
			}
			return bcpace.Outcome{Reward: -1}
		},
		LogLikelihood: func(_ []float64, action int, next []float64, latent int) float64 {
			switch {
			case action < 2:
				return 0
			case next[1] == 1:
				return math.Log(right(latent))
			}
			return math.Log(1 - right(latent))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestNoList: a solver that needs a list of what follows refuses a model that has none, and says what
// does without; no other one plays blindly, which earns −45.
func TestNoList(t *testing.T) {
	for _, whole := range []bool{false, true} {
		m := belfry(t, whole)
		for _, name := range []string{"adaops", "despot", "lookahead", "pomcp", "pomcpow", "qmdp", "certainty-equivalent", "thompson", "certified", "sarsop", "pbvi", "perseus", "pomdp-lite", "beb", "boss"} {
			s, err := solvers.New(name, m)
			if err != nil {
				t.Fatal(err)
			}
			if brief, err := solvers.Set(s, "budget", "60"); err == nil { // a planner
				s = brief
			}
			found, err := s.Solve(t.Context(), m, bcpace.Control{})
			if err != nil {
				without := strings.Contains(err.Error(), "pomcpow") || strings.Contains(err.Error(), "cpace.Solver any model") || strings.Contains(err.Error(), "Successors would do")
				if !errors.As(err, new(*bcpace.UnsupportedError)) || !without {
					t.Errorf("%s, whole numbers %t: %v, want an *UnsupportedError that says what would do", name, whole, err)
				}
				continue
			}
			r, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 10, Horizon: 15, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if r.Mean < -15 { // −1 for each step, or better
				t.Errorf("%s, whole numbers %t: earns %v", name, whole, r.Mean)
			}
		}
	}
}
