// Package certain is certainty equivalence: it acts as is best for the most likely latent, as if
// that were the true one. It is the agent beside which the dual control of Feldbaum (1960) is
// set, which counts what an action tells.
package certain

import (
	"context"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/qmdp"
)

// Solver is certainty equivalence as a solver.
type Solver struct {
	// ControlPoints is for a model some of whose actions have a Box: there is a list of so many
	// points on each axis in its place, as bcpace.Discretised makes it. 0 means its default.
	ControlPoints int `json:",omitempty"`
}

// Name implements bcpace.Solver.
func (Solver) Name() string { return "certainty-equivalent" }

// Solve implements bcpace.Solver. Value and bounds are those of qmdp.Solver: what no policy
// exceeds.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	return qmdp.Told(ctx, s, s.ControlPoints, m, c, likeliest)
}

// likeliest returns the policy that takes the action of p where the most likely latent, the
// first of equal ones, is known to be the true one.
func likeliest(p bcpace.Policy, latents int) bcpace.Policy {
	certain := make([]bcpace.Belief, latents)
	for φ := range certain {
		certain[φ] = bcpace.OneHot(latents, φ)
	}
	return bcpace.PolicyFunc(func(s []float64, b bcpace.Belief, rng *rand.Rand) int {
		if len(b) != latents {
			return -1
		}
		φ, sum := 0, 0.0
		for i, x := range b {
			if sum += x; x > b[φ] {
				φ = i
			}
		}
		if math.IsNaN(sum) {
			return -1
		}
		return p.Act(s, certain[φ], rng)
	})
}
