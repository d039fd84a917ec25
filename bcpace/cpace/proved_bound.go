package cpace

import (
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/proved"
	"bayescpace/bcpace/runs"
)

// proofShare is the part of ε by which a finer grid lowers the proved bound for it to be refined.
const proofShare = 1.0 / 8

// prove computes the bound of BoundProved; for another Bound it does nothing.
func (s *resolvedOptions) prove(ctx context.Context, m bcpace.Model) (err error) {
	if s.Bound != BoundProved {
		return nil
	}
	s.proved, err = proved.Upper(ctx, m, proved.Options{Tolerance: proofShare * s.Epsilon})
	return err
}

// ProvedAtStart returns the upper bound of the optimal value at the start by BoundProved, +Inf without it.
func (v paperValues) ProvedAtStart(context.Context, *runs.Run) (lower, upper float64, err error) {
	if v.set.proved == nil {
		return math.Inf(-1), math.Inf(1), nil
	}
	return math.Inf(-1), v.set.proved.Start, nil
}
