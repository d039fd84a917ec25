package cpace

import (
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/proved"
	"bayescpace/bcpace/runs"
)

// proofShare is the part of ε by which a finer grid lowers the proved bound for it to be refined.
const proofShare = 1.0 / 8

// bind computes the bound of BoundFIB, BoundTIB or BoundProved; for another Bound it does nothing.
func (s *resolvedOptions) bind(ctx context.Context, m bcpace.Model) (err error) {
	switch s.Bound {
	case BoundFIB, BoundTIB:
		f, ok := bcpace.AsFinite(m)
		if !ok {
			return &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: "Bayes-CPACE with an informed bound", Need: "numbered states (Finite)"}
		}
		if s.Bound == BoundFIB {
			s.informed, err = dp.SolveFIB(ctx, f)
		} else {
			s.informed, err = dp.SolveTIB(ctx, f)
		}
	case BoundProved:
		s.proved, err = proved.Upper(ctx, m, proved.Options{Tolerance: proofShare * s.Epsilon})
	}
	return err
}

// ProvedAtStart returns the upper bound of the optimal value at the start by BoundProved, +Inf without it.
func (v paperValues) ProvedAtStart(context.Context, *runs.Run) (lower, upper float64, err error) {
	if v.set.proved == nil {
		return math.Inf(-1), math.Inf(1), nil
	}
	return math.Inf(-1), v.set.proved.Start, nil
}
