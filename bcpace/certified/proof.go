package certified

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

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
	// proofLeft is the part of the time before a deadline that a set-up leaves for proofs, which say
	// something where it does not end; lowerTime is the part of that for the lower bound.
	proofLeft = 0.4
	lowerTime = 0.25
)

// haste returns a context for the set-up that ends where proofLeft of the time before the deadline of ctx is left, for a model of which bounds can be
// proved. Its deadline is that of ctx, by which a set-up chooses its grids.
func haste(ctx context.Context, m bcpace.Model, plan runs.Plan) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok || plan.Exact || plan.CertificateEpisodes <= 0 || bcpace.AbilitiesOf(m).Smoothness == nil {
		return ctx, func() {}
	}
	cut, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(time.Duration((1-proofLeft)*float64(time.Until(deadline))), cancel)
	return cut, func() { timer.Stop(); cancel() }
}

// inHaste proves what there is time for, and leaves some for the simulation of the policy. A fault of the model has been found in the set-up.
func (p *proof) inHaste(ctx context.Context, m bcpace.Model, tolerance float64) {
	all, cancel := runs.LeaveTime(ctx, runs.LookAhead)
	defer cancel()
	within, end := runs.LeaveTime(all, lowerTime)
	defer end()
	if p.bound, _ = proved.Upper(within, m, proved.Options{Tolerance: tolerance}); p.bound == nil {
		return
	}
	lower, err := p.bound.Lower(all)
	if p.lower = lower; err != nil {
		p.lower = math.Inf(-1)
	}
}

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

// Unproved returns an *bcpace.UnsupportedError where package proved does not take the model, without solving anything,
// and elsewhere another error.
func (e *continuousBounds) Unproved() error {
	ended, end := context.WithCancel(context.Background())
	end()
	_, err := proved.Upper(ended, e.model, proved.Options{})
	return err
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
