package pomdp

import (
	"math/rand/v2"

	"bayescpace/bcpace"
)

// OnSeen returns p, a policy of m, as a policy of the BAMDP that AsBAMDP made of m. The error is a *bcpace.UnsupportedError where the states of m
// are not those of the BAMDP, as where what observations reveal was added to them, or where of, for which p was found, is m with the steps left.
func OnSeen(b bcpace.Model, m, of *Model, p Policy) (bcpace.Policy, error) {
	seen := 1
	if len(m.Observations) > 1 {
		seen = len(m.Observations) + 1
	}
	f, ok := bcpace.AsFinite(b)
	if !ok || of.NumVisible() != m.NumVisible() || f.NumStates() != m.NumVisible()*seen || len(f.Spec().Latents) != m.NumHidden() {
		return nil, &bcpace.UnsupportedError{Model: m.Name, Algorithm: "acting by the policy of a POMDP", Need: "the states of its BAMDP: no horizon, and observations that reveal nothing for sure; a policy that is found with --algorithm certified has them"}
	}
	return onSeen{f, p, seen, len(f.Spec().Axes), m.NumHidden()}, nil
}

type onSeen struct {
	model              bcpace.Finite
	policy             Policy
	seen, axes, hidden int
}

// Act implements bcpace.Policy.
func (p onSeen) Act(s []float64, b bcpace.Belief, _ *rand.Rand) int {
	if len(s) != p.axes || len(b) != p.hidden {
		return -1
	}
	if n := p.model.StateIndex(s); n >= 0 {
		return p.policy.Act(n/p.seen, b)
	}
	return -1
}

// Fork is bcpace.PolicyAbilities.Fork.
func (p onSeen) Fork() bcpace.Policy {
	p.policy = Fork(p.policy)
	return p
}
