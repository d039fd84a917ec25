package solverkit

import (
	"context"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/moves"
)

// LongActor is a Policy whose Act may take long, as it plans while it acts.
type LongActor interface {
	// Within returns the same policy with a context: if ctx ends during Act, Act returns
	// soon, and its action is meaningless.
	Within(ctx context.Context) bcpace.Policy
}

// Within returns p with a context if p is a LongActor, and p itself otherwise. The caller
// of Act must check ctx before it uses the action.
func Within(ctx context.Context, p bcpace.Policy) bcpace.Policy {
	if l, ok := p.(LongActor); ok {
		return l.Within(ctx)
	}
	return p
}

// AsEpisodic returns p as a bcpace.Episodic. It reports false if p is none. Ask it rather than a
// type assertion: see bcpace.PolicyOf.
func AsEpisodic(p bcpace.Policy) (bcpace.Episodic, bool) {
	if w, ok := p.(interface{ Unwrap() bcpace.Policy }); ok {
		p = w.Unwrap()
	}
	e, ok := p.(bcpace.Episodic)
	return e, ok
}

// NewMover returns what moves the latent of m, or nil, which moves nothing, where it is static.
func NewMover(m bcpace.Model) *moves.Mover {
	can := bcpace.AbilitiesOf(m)
	if can.LatentKind == bcpace.Static {
		return nil
	}
	return &moves.Mover{Latents: len(can.Spec.Latents), Next: can.NextLatent, List: can.LatentMoves, Transition: can.LatentTransition}
}
