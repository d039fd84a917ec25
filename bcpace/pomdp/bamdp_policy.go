package pomdp

import (
	"math/rand/v2"

	"bayescpace/bcpace"
)

// AsBAMDPPolicy returns p, a policy of the POMDP that FromBAMDP made of m, as a policy
// of m. The error is a *bcpace.UnsupportedError where the states of the two are
// not the same, as where the steps left were added to those of the POMDP.
func AsBAMDPPolicy(m bcpace.Finite, of *Model, p Policy) (bcpace.Policy, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	if d := of.NumVisible() - m.NumStates(); d != 0 && d != 1 || of.NumHidden() != len(m.Spec().Latents) {
		return nil, &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: "acting by the policy of a POMDP",
			Need: "the states of that POMDP; for a model with a horizon, those of bcpace.FiniteHorizon"}
	}
	return onBAMDP{m, p, len(m.Spec().Axes), of.NumHidden()}, nil
}

type onBAMDP struct {
	model  bcpace.Finite
	policy Policy
	// axes and hidden are the lengths of a state and of a belief.
	axes, hidden int
}

// Act implements bcpace.Policy.
func (p onBAMDP) Act(s []float64, b bcpace.Belief, _ *rand.Rand) int {
	if len(s) != p.axes || len(b) != p.hidden {
		return -1
	}
	if x := p.model.StateIndex(s); x >= 0 {
		return p.policy.Act(x, b)
	}
	return -1
}

// Fork is bcpace.PolicyAbilities.Fork.
func (p onBAMDP) Fork() bcpace.Policy { return onBAMDP{p.model, Fork(p.policy), p.axes, p.hidden} }
