package solverkit

import (
	"context"
	"sync/atomic"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/sparse"
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
	e, ok := Unwrap(p).(bcpace.Episodic)
	return e, ok
}

// AsInspector returns p as a bcpace.Inspector. It reports false if p is none.
func AsInspector(p bcpace.Policy) (bcpace.Inspector, bool) {
	x, ok := Unwrap(p).(bcpace.Inspector)
	return x, ok
}

// Unwrap returns the policy that bcpace.PolicyOf was given for p.
func Unwrap(p bcpace.Policy) bcpace.Policy {
	for w, ok := p.(interface{ Unwrap() bcpace.Policy }); ok; w, ok = p.(interface{ Unwrap() bcpace.Policy }) {
		p = w.Unwrap()
	}
	return p
}

// Refusal returns why p has no action at a state and belief, nil if it does not say.
func Refusal(p bcpace.Policy, s []float64, b bcpace.Belief) error {
	if r, ok := p.(interface {
		Refusal(s []float64, b bcpace.Belief) error
	}); ok {
		return r.Refusal(s, b)
	}
	return nil
}

// Now is the context of the present call, for a policy that acts under another one at each call:
// Within would make a new policy, without the memory of the old one. Set it before each call.
type Now struct {
	at atomic.Pointer[context.Context]
}

// Set makes ctx the context of the calls to come.
func (n *Now) Set(ctx context.Context) { n.at.Store(&ctx) }

func (n *Now) now() context.Context {
	if ctx := n.at.Load(); ctx != nil {
		return *ctx
	}
	return context.Background()
}

// Deadline implements context.Context.
func (n *Now) Deadline() (time.Time, bool) { return n.now().Deadline() }

// Done implements context.Context.
func (n *Now) Done() <-chan struct{} { return n.now().Done() }

// Err implements context.Context.
func (n *Now) Err() error { return n.now().Err() }

// Value implements context.Context.
func (n *Now) Value(key any) any { return n.now().Value(key) }

// NewMover returns what moves the latent of m, or nil, which moves nothing, where it is static.
func NewMover(m bcpace.Model) *sparse.Mover {
	can := bcpace.AbilitiesOf(m)
	if can.LatentKind == bcpace.Static {
		return nil
	}
	return &sparse.Mover{Latents: len(can.Spec.Latents), Next: can.NextLatent, List: can.LatentMoves, Transition: can.LatentTransition}
}
