// Package plannertest has what tests of planners share.
package plannertest

import (
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/envs"
)

// Solve returns the solution of a solver of m, and what its policy can do, which plans.
func Solve(t testing.TB, s bcpace.Solver, m bcpace.Model) (*bcpace.Solution, bcpace.PolicyAbilities) {
	t.Helper()
	found, err := s.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	p := bcpace.PolicyAbilitiesOf(found.Policy)
	if p.Plan == nil {
		t.Fatalf("the policy of %s is a %T, want a planner", s.Name(), found.Policy)
	}
	return found, p
}

// Decide returns the decision of the planner of a solver of m.
func Decide(t testing.TB, s bcpace.Solver, m bcpace.Model, at bcpace.StartPoint, rng *rand.Rand) bcpace.Decision {
	t.Helper()
	_, p := Solve(t, s, m)
	d, err := p.Plan(t.Context(), at.State, at.Belief, rng)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Random returns a random model of four states and three latents, which move as the seed says,
// and its first start.
func Random(t *testing.T, rng *rand.Rand, seed uint64, actions int, discount float64) (bcpace.Finite, bcpace.StartPoint) {
	t.Helper()
	m := randmodel.New(rng, randmodel.Options{States: 4, Latents: 3, Actions: actions, Branch: 2, Discount: discount,
		Kind: bcpace.LatentKind(seed % 3), Lists: seed/3%2 == 1, Drifts: seed/6%2 == 1})
	starts, err := bcpace.StartsOf(m)
	if err != nil {
		t.Fatal(err)
	}
	return m, bcpace.StartPoint{State: starts[0].State, Belief: starts[0].Belief}
}

// Dual returns the dual control with gains of either sign, whose action has a Box.
func Dual(t testing.TB) bcpace.Model {
	t.Helper()
	m, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}
