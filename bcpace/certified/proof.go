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

// proof keeps the bound of package proved, which takes seconds, for the runs on several grids.
type proof struct {
	mu    sync.Mutex
	bound *proved.Bound // nil before it is known
	whole bool          // no context has cut it short
}

// proofShare is the part of ε by which a finer grid lowers the proved bound for it to be refined.
const proofShare = 1.0 / 4

// ProvedAtStart proves an upper bound of the optimal value at the start, for a model that package proved
// takes.
func (e *continuousBounds) ProvedAtStart(ctx context.Context, r *runs.Run) (upper float64, err error) {
	e.proof.mu.Lock()
	defer e.proof.mu.Unlock()
	if !e.proof.whole {
		b, err := proved.Upper(ctx, e.model, proved.Options{Tolerance: proofShare * r.Epsilon()})
		if unsupported := new(bcpace.UnsupportedError); errors.As(err, &unsupported) {
			return math.Inf(1), nil
		}
		if b != nil {
			e.proof.bound = b
		}
		if e.proof.whole = err == nil; err != nil {
			return e.proof.start(), err
		}
	}
	return e.proof.start(), nil
}

// start returns the bound at the start, +Inf where none is known.
func (p *proof) start() float64 {
	if p.bound == nil {
		return math.Inf(1)
	}
	return p.bound.Start
}
