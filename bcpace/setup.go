package bcpace

import (
	"context"
	"runtime"
	"time"
)

// controlKey is the key under which a context carries a Control.
type controlKey struct{}

// WithControl returns a context for what a solver does beside its search: what lists a model
// or computes tables with it, such as SolveLatent, ListTransitions, Transitions.Bounds and
// SolveGridBounds, and the upper bound by grids of a certificate, works with c.Workers
// goroutines, and calls c.Progress with a Phase, from the goroutine that has called it. It is
// for authors of solvers.
func WithControl(ctx context.Context, c Control) context.Context {
	return context.WithValue(ctx, controlKey{}, c)
}

// ControlOf returns the Control of WithControl, the zero one without it.
func ControlOf(ctx context.Context) Control {
	c, _ := ctx.Value(controlKey{}).(Control)
	return c
}

// ReportPhase tells the Progress of WithControl what is being computed, and which share of
// it is done, in [0, 1], or −1 where nobody knows. It costs little: call it where a loop
// looks at its context.
func ReportPhase(ctx context.Context, phase string, share float64) {
	if report := ControlOf(ctx).Progress; report != nil {
		report(Progress{Phase: phase, Share: share})
	}
}

// processors returns how many goroutines work at most: one for each processor, and no more
// than Workers.
func (c Control) processors() int {
	n := runtime.GOMAXPROCS(0)
	if c.Workers > 0 {
		return min(n, c.Workers)
	}
	return n
}

// workersOf returns the number of goroutines for a computation with ctx.
func workersOf(ctx context.Context) int { return ControlOf(ctx).processors() }

// manyRows is how many rows take time to compute with.
const manyRows = 1 << 14

// phase reports what is computed of p, if p is large enough for it to take time.
func (p *latentMDP) phase(ctx context.Context, name string, share float64) {
	if len(p.Reward) >= manyRows {
		ReportPhase(ctx, name, share)
	}
}

// LookAhead is the share of the time before a deadline that explorers leave for what comes
// after the exploration: the choice of a policy and the certificate.
const LookAhead = 0.2

// LeaveTime returns a context that ends when the given share of the time to the deadline of
// ctx is left, and ctx itself if it has none. It is for authors of explorers.
func LeaveTime(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, end.Add(-time.Duration(share*float64(time.Until(end)))))
}
