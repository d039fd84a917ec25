package online

import (
	"context"
	"math/rand/v2"
	"strconv"

	"bayescpace/bcpace"
)

// Names of rollout policies.
const (
	// RandomRollout draws each action with equal probability and, in a Box, each control.
	RandomRollout = "random"
	// ToldRollout acts as is best for the latent of the simulation (bcpace.SolveLatent).
	ToldRollout = "told"
)

// RolloutPolicy returns the policy of that name for m; "" is RandomRollout. Beside an error of
// the context it returns the latent values so far, see bcpace.LatentSoFar. The error is an
// *bcpace.InputError for another name, or that of bcpace.SolveLatent.
func RolloutPolicy(ctx context.Context, m bcpace.Model, name string) (bcpace.Policy, bcpace.LatentValues, error) {
	switch name {
	case "", RandomRollout:
		return bcpace.RandomPolicy(m), nil, nil
	case ToldRollout:
		q, err := bcpace.SolveLatent(ctx, m)
		if err != nil {
			return nil, q, err
		}
		return bcpace.LatentPolicy(q, len(m.Spec().Actions)), q, nil
	}
	return nil, nil, &bcpace.InputError{Where: "options", What: "Rollout", Got: strconv.Quote(name), Want: RandomRollout + " or " + ToldRollout}
}

// Rollout plays simulations on with a policy, from where a search ends. The policy gets a
// belief that is certain of the latent. A Rollout is for one goroutine.
type Rollout struct {
	policy   bcpace.Policy
	discount float64
	certain  bcpace.Belief
	latent   int // of which certain is
}

// NewRollout returns a rollout of p, forked, in m.
func NewRollout(m bcpace.Model, p bcpace.Policy) *Rollout {
	spec := m.Spec()
	return &Rollout{policy: bcpace.Fork(p), discount: spec.Discount, certain: bcpace.OneHot(len(spec.Latents), 0)}
}

// Play plays w on to its end, for so many steps at most, and returns the discounted sum of
// rewards.
func (r *Rollout) Play(w *Walk, steps int, rng *rand.Rand) (sum float64) {
	weight := 1.0
	for ; steps > 0 && !w.Done; steps-- {
		r.certain[r.latent] = 0
		r.latent = w.Latent
		r.certain[r.latent] = 1
		sum += weight * w.Step(r.policy.Act(w.State, r.certain, rng), rng)
		weight *= r.discount
	}
	return sum
}
