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

// proofShare is the part of ε by which a finer grid lowers the proved bound for it to be refined.
const proofShare = 1.0 / 16

// ProvedAtStart proves bounds of the optimal value at the start, for a model that package proved takes.
func (e *continuousBounds) ProvedAtStart(ctx context.Context, r *runs.Run) (lower, upper float64, err error) {
	p := e.proof
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.whole {
		err = p.prove(ctx, e.model, proofShare*r.Epsilon())
		p.whole = err == nil
	}
	if p.bound == nil {
		return math.Inf(-1), math.Inf(1), err
	}
	return p.lower, p.bound.Start, err
}

// prove computes the bounds. A model that package proved does not take has none.
func (p *proof) prove(ctx context.Context, m bcpace.Model, tolerance float64) error {
	b, err := proved.Upper(ctx, m, proved.Options{Tolerance: tolerance})
	if b != nil {
		p.bound, p.lower = b, math.Inf(-1)
	}
	if err == nil {
		p.lower, err = b.Lower(ctx)
	}
	if unsupported := new(bcpace.UnsupportedError); errors.As(err, &unsupported) {
		return nil
	}
	return err
}
