package pomdp

import (
	"context"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// OnSeen returns p, a policy found for of (see Place), as a policy of the BAMDP that AsBAMDP has made of m, or of what Reveal makes of
// m. The error is that of Place, or a *bcpace.UnsupportedError for another BAMDP.
func OnSeen(ctx context.Context, b bcpace.Model, m, of *Model, p Policy) (bcpace.Policy, error) {
	f, made, err := madeOf(ctx, b, m)
	if err != nil {
		return nil, err
	}
	placed, err := Place(ctx, made, of, p)
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
	return bcpace.PolicyOf(played, onSeen{placed, f, made.NumHidden(), made.seen(), len(f.Spec().Axes), len(played.Spec().Axes)}), nil
}

// madeOf returns a BAMDP that AsBAMDP has made of m, or of what Reveal makes of m, and of which of the two.
func madeOf(ctx context.Context, b bcpace.Model, m *Model) (bcpace.Finite, *Model, error) {
	unsupported := &bcpace.UnsupportedError{Model: b.Spec().Name, Algorithm: "acting by the policy of a POMDP", Need: "the BAMDP of its file"}
	f, finite := bcpace.AsFinite(b)
	if !finite || m == nil {
		return nil, nil, unsupported
	}
	fits := func(m *Model) bool {
		return f.NumStates() == m.NumVisible()*m.seen() && len(f.Spec().Latents) == m.NumHidden()
	}
	if fits(m) {
		return f, m, nil
	}
	revealed, err := Revealing(ctx, m)
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil || !fits(revealed.Model):
		return nil, nil, unsupported
	}
	return f, revealed.Model, nil
}

type onSeen struct {
	*PlacedPolicy
	model             bcpace.Finite
	hidden, seen      int
	ownAxes, withLeft int // of a state, and with the steps left
}

// Act implements bcpace.Policy.
func (p onSeen) Act(s []float64, b bcpace.Belief, rng *rand.Rand) int {
	action, _ := p.Decide(context.Background(), s, b, rng)
	return action
}

// Decide is bcpace.PolicyAbilities.Act.
func (p onSeen) Decide(_ context.Context, s []float64, b bcpace.Belief, _ *rand.Rand) (int, error) {
	if len(s) != p.withLeft || len(b) != p.hidden {
		return -1, nil
	}
	left := 0
	if p.withLeft > p.ownAxes {
		left = int(s[p.ownAxes])
	}
	n := p.model.StateIndex(s[:p.ownAxes])
	if n < 0 {
		return -1, nil
	}
	return p.PlacedPolicy.Act(p.Steps-left, n/p.seen, b, left)
}

// Fork is bcpace.PolicyAbilities.Fork.
func (p onSeen) Fork() bcpace.Policy {
	p.PlacedPolicy = p.PlacedPolicy.Fork()
	return p
}
