package dp

import (
	"context"

	"bayescpace/bcpace/solverkit"
)

// workersOf returns the number of goroutines for a computation with ctx.
func workersOf(ctx context.Context) int { return solverkit.ControlOf(ctx).Processors() }

// manyRows is how many rows take time to compute with.
const manyRows = 1 << 14

// phase reports what is computed of p, if p is large enough for it to take time.
func (p *latentMDP) phase(ctx context.Context, name string, share float64) {
	if len(p.Reward) >= manyRows {
		solverkit.ReportPhase(ctx, name, share)
	}
}
