package certified

import (
	"context"
	"errors"
	"math"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/proved"
	"bayescpace/bcpace/runs"
)

// proof keeps the bounds of package proved, which take seconds, for the runs on several grids.
type proof struct {
	mu    sync.Mutex
	bound *proved.Bound // nil before it is known
	lower float64       // −Inf before it is known
	whole bool          // no context has cut it short
}

const (
	// proofShare is the part of ε by which a finer grid lowers the proved bound for it to be refined.
	proofShare = 1.0 / 16
	// proofLeaves is the part of the time before a deadline that proofs leave for all else, and
	// lowerTime the part of their own that the upper one leaves for the lower one.
	proofLeaves = 0.6
	lowerTime   = 0.25
)

// ahead proves bounds before the set-up where there is a deadline, after which there may be no time for
// them. What they lack then follows after the search, as far as there is time. A fault of the model is found again later.
func (p *proof) ahead(ctx context.Context, m bcpace.Model, plan runs.Plan) {
	if _, ok := ctx.Deadline(); !ok || plan.Exact || plan.CertificateEpisodes <= 0 {
		return
	}
	within, cancel := runs.LeaveTime(ctx, proofLeaves)
	defer cancel()
	p.whole = p.prove(within, m, proofShare*plan.Epsilon) == nil
}

// ProvedAtStart proves bounds of the optimal value at the start, for a model that package proved takes.
func (e *continuousBounds) ProvedAtStart(ctx context.Context, r *runs.Run) (lower, upper float64, err error) {
	p := e.proof
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.whole {
		err = p.prove(ctx, e.model, proofShare*r.Epsilon())
		p.whole = err == nil
		if p.bound != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) { // the upper bound's part of the time
			err = nil
		}
	}
	if p.bound == nil {
		return math.Inf(-1), math.Inf(1), err
	}
	return p.lower, p.bound.Start, err
}

// prove computes the bounds, or closer ones on finer grids than the last. A model that package proved does not take has none.
func (p *proof) prove(ctx context.Context, m bcpace.Model, tolerance float64) error {
	within, cancel := runs.LeaveTime(ctx, lowerTime)
	defer cancel()
	o := proved.Options{Tolerance: tolerance}
	if p.bound == nil {
		p.lower = math.Inf(-1)
	} else {
		o.Cell = p.bound.Cell / math.Sqrt2
	}
	b, err := proved.Upper(within, m, o)
	if b != nil && (p.bound == nil || b.Start < p.bound.Start) {
		p.bound = b
	}
	if err == nil || b != nil && ctx.Err() == nil && within.Err() != nil {
		cut, lower := err, 0.0
		lower, err = b.Lower(ctx)
		if p.lower = max(p.lower, lower); err == nil {
			err = cut
		}
	}
	if unsupported := new(bcpace.UnsupportedError); errors.As(err, &unsupported) {
		return nil
	}
	return err
}
