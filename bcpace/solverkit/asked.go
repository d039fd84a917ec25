package solverkit

import (
	"context"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// Asked returns p as a policy that is asked about other states: at returns the state that p sees in
// the place of s, and false where p is not asked, so that there is no action. Its b is nil where no
// belief is at hand, as in Observe. The states of a search tree are those that p sees.
func Asked(p bcpace.Policy, at func(s []float64, b bcpace.Belief) (seen []float64, ok bool)) bcpace.Policy {
	return bcpace.DerivePolicy(p, func(_ bcpace.Policy, can *bcpace.PolicyAbilities) {
		act, plan, begin, observe := can.Act, can.Plan, can.Begin, can.Observe
		can.Keep = nil // a file would have the policy without the change of states
		can.Act = func(ctx context.Context, s []float64, b bcpace.Belief, rng *rand.Rand) (int, error) {
			if seen, ok := at(s, b); ok {
				return act(ctx, seen, b, rng)
			}
			return -1, nil
		}
		if plan != nil {
			can.Plan = func(ctx context.Context, s []float64, b bcpace.Belief, rng *rand.Rand) (bcpace.Decision, error) {
				if seen, ok := at(s, b); ok {
					return plan(ctx, seen, b, rng)
				}
				return bcpace.Decision{Action: -1}, nil
			}
		}
		if begin == nil {
			return
		}
		can.Begin = func(s []float64, b bcpace.Belief) {
			if seen, ok := at(s, b); ok {
				begin(seen, b)
			}
		}
		can.Observe = func(action int, reward float64, next []float64) {
			if seen, ok := at(next, nil); ok {
				observe(action, reward, seen)
			}
		}
	})
}
