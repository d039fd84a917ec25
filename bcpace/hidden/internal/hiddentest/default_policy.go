package hiddentest

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// FollowsRollout tests that a planner between bounds knows what Model.Rollout earns at a leaf where Model.Bounds says less. A
// corridor has its goal five steps away, which pays 10, and a step costs 1: after the first one to the goal, 10·γ⁴ − 1 − γ − … −
// γ³ are left of it. The lower bound is that of who stays for ever.
func FollowsRollout(t *testing.T, make Maker) {
	t.Helper()
	const γ, ahead, goal = 0.9, 1, 5
	m := &hidden.Model{
		Spec: hidden.Spec{
			Spec:   bcpace.Spec{Name: "corridor", Axes: []bcpace.Axis{{Name: "nothing", Max: 1, Discrete: true}}, Actions: bcpace.Actions("stay", "ahead"), Discount: γ, RewardMin: -2, RewardMax: 10},
			Hidden: []bcpace.Axis{{Name: "x", Max: goal, Discrete: true}},
		},
		Prior: func(x []float64, _ *rand.Rand) { x[0] = 0 },
		Step: func(next, nextX, _, x []float64, action int, _ *rand.Rand) bcpace.Outcome {
			next[0], nextX[0] = 0, min(x[0]+float64(action), goal)
			if nextX[0] == goal {
				return bcpace.Outcome{Reward: 10, Done: true}
			}
			return bcpace.Outcome{Reward: -1}
		},
		LogDensity: func(_, _ []float64, _ int, _, _ []float64) float64 { return 0 },
		Rollout:    func(_, _ []float64, _ *rand.Rand) int { return ahead },
		Bounds:     func(_, _ []float64) (lower, upper float64) { return -1 / (1 - γ), 10 },
	}
	d, err := New(t, make, m).Plan(t.Context(), []float64{0}, Begin(t, m, []float64{0}), rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	want := 10 * math.Pow(γ, goal-1)
	for step := range goal - 1 {
		want -= math.Pow(γ, float64(step))
	}
	if len(d.Q) != 2 || math.Abs(d.Q[ahead]-want) > 1e-9 {
		t.Errorf("the actions earn %v at least, want %v of %q", d.Q, want, "ahead")
	}
}
