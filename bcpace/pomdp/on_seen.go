package pomdp

import (
	"context"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// OnSeen returns p, a policy found for of (see Place), as a policy of the BAMDP that AsBAMDP has made of m, or of what Reveal makes of
// m. The error is that of Place, or a *bcpace.UnsupportedError for another BAMDP.
func OnSeen(ctx context.Context, b bcpace.Model, m, of *Model, p Policy) (bcpace.Policy, error) {
	made, ok := b.(*bamdp)
	if !ok {
		return nil, &bcpace.UnsupportedError{Model: b.Spec().Name, Algorithm: "acting by the policy of a POMDP", Need: "the BAMDP of its file"}
	}
	placed, err := Place(ctx, made.pomdp, of, p)
	if err != nil && ctx.Err() == nil && of != nil && sameStates(of, m) {
		placed, err = placeBefore(ctx, m, of, p)
	}
	if err != nil {
		return nil, err
	}
	played := b
	if placed.Steps > 0 {
		played = bcpace.KeepHorizon(b)
	}
	return bcpace.PolicyOf(played, onSeen{placed, made, len(played.Spec().Axes)}), nil
}

type onSeen struct {
	*Placed
	model *bamdp
	axes  int // of a state, with the steps left
}

// Act implements bcpace.Policy.
func (p onSeen) Act(s []float64, b bcpace.Belief, rng *rand.Rand) int {
	action, _ := p.Decide(context.Background(), s, b, rng)
	return action
}

// Decide is bcpace.PolicyAbilities.Act.
func (p onSeen) Decide(_ context.Context, s []float64, b bcpace.Belief, _ *rand.Rand) (int, error) {
	own := len(p.model.spec.Axes)
	if len(s) != p.axes || len(b) != p.model.hidden {
		return -1, nil
	}
	left := 0
	if p.axes > own {
		left = int(s[own])
	}
	n := p.model.StateIndex(s[:own])
	if n < 0 {
		return -1, nil
	}
	return p.Placed.Act(p.Steps-left, n/p.model.seen, b, left)
}

// Fork is bcpace.PolicyAbilities.Fork.
func (p onSeen) Fork() bcpace.Policy {
	p.Placed = p.Placed.Fork()
	return p
}
