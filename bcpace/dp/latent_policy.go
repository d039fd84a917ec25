package dp

import (
	"context"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// QMDPPolicy returns the LatentPolicy of m, on the values of SolveLatent. If m has a
// horizon, the policy reads the steps left; see ForPolicy. The error is that of
// SolveLatent.
func QMDPPolicy(ctx context.Context, m bcpace.Model) (bcpace.Policy, error) {
	m, err := bcpace.Discretised(m, 0)
	if err != nil {
		return nil, err
	}
	m = bcpace.KeepHorizon(m)
	q, err := SolveLatentOn(ctx, m, GridOptions{NoError: true})
	if err != nil {
		return nil, err
	}
	return bcpace.PolicyOf(m, LatentPolicy(q, len(m.Spec().Actions))), nil
}

// listedValues are latent values of a model whose actions have boxes, interpolated between a
// list of them, at one of which a largest value lies.
type listedValues interface {
	bcpace.LatentValues
	// Listed returns the values of the actions of the list, by their places there, and their ids.
	Listed() (q bcpace.LatentValues, ids []int)
}

// LatentPolicy is QMDP (Littman et al. 1995): it acts greedily on
// Σ_φ b(φ)·Q(s, φ, a), as if the latent were known after the next step.
func LatentPolicy(q bcpace.LatentValues, actions int) bcpace.Policy {
	if c, ok := q.(listedValues); ok {
		values, ids := c.Listed()
		list := LatentPolicy(values, len(ids))
		return bcpace.PolicyFunc(func(s []float64, b bcpace.Belief, rng *rand.Rand) int {
			if a := list.Act(s, b, rng); a >= 0 {
				return ids[a]
			}
			return -1
		})
	}
	latents := -1 // any number
	if v, ok := q.(interface{ Beliefs() int }); ok {
		latents = v.Beliefs()
	}
	return bcpace.PolicyFunc(func(s []float64, b bcpace.Belief, _ *rand.Rand) int {
		best, act := 0.0, -1
		if latents >= 0 && len(b) != latents {
			return act
		}
		for a := range actions {
			if v := Expected(q, s, b, a); v > best || act < 0 && !math.IsNaN(v) {
				best, act = v, a
			}
		}
		return act
	})
}
