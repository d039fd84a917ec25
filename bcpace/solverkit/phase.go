package solverkit

import (
	"context"

	"bayescpace/bcpace"
)

// controlKey is the key under which a context carries a Control.
type controlKey struct{}

// WithControl returns a context for what a solver does beside its search: what lists a model
// or computes tables with it, such as dp.SolveLatent, dp.ListTransitions, Transitions.Bounds and
// dp.SolveGridBounds, and the upper bound by grids of a certificate, works with c.Workers
// goroutines, and calls c.Progress with a Phase, from the goroutine that has called it. It is
// for authors of solvers.
func WithControl(ctx context.Context, c bcpace.Control) context.Context {
	return context.WithValue(ctx, controlKey{}, c)
}

// ControlOf returns the Control of WithControl, the zero one without it.
func ControlOf(ctx context.Context) bcpace.Control {
	c, _ := ctx.Value(controlKey{}).(bcpace.Control)
	return c
}

// ReportPhase tells the Progress of WithControl what is being computed, and which share of
// it is done, in [0, 1], or −1 where nobody knows. It costs little: call it where a loop
// looks at its context.
func ReportPhase(ctx context.Context, phase string, share float64) {
	if report := ControlOf(ctx).Progress; report != nil {
		report(bcpace.Progress{Phase: phase, Share: share})
	}
}
