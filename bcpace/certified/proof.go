package certified

import (
	"cmp"
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/proved"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// proof keeps the bounds of package proved, which take seconds, for the runs on several grids.
type proof struct {
	mu      sync.Mutex
	bound   *proved.GridBound // nil before it is known
	whole   bool              // no context has cut it short
	lower   float64           // −Inf before it is known
	lowerOf *proved.GridBound // by which the lower one was computed last
}

func newProof() *proof { return &proof{lower: math.Inf(-1)} }

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

// ProvedAtStart proves bounds of the optimal value at the start, for a model that package proved takes.
func (e *continuousBounds) ProvedAtStart(ctx context.Context, r *runs.Run) (lower, upper float64, err error) {
	return e.proof.bounds(ctx, e.model, proofShare*r.Epsilon())
}

// bounds proves both bounds, or goes on with that; −Inf and +Inf where there are none.
func (p *proof) bounds(ctx context.Context, m bcpace.Model, tolerance float64) (lower, upper float64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err = p.prove(ctx, m, tolerance); p.bound == nil {
		return math.Inf(-1), math.Inf(1), err
	}
	return p.lower, p.bound.Start, err
}

// ProveDownTo goes on with finer grids, whatever they take, while the upper bound is above one that is claimed and may come
// down to it: a run may have had more time than Upper takes without a deadline.
func (e *continuousBounds) ProveDownTo(ctx context.Context, r *runs.Run, claimed float64) error {
	p, tolerance := e.proof, proofShare*r.Epsilon()
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.upper(ctx, e.model, tolerance)
	for err == nil && p.bound != nil && p.bound.Start > claimed {
		before := p.bound
		if p.bound, err = before.Finer(ctx, proved.Options{Tolerance: tolerance, Work: math.MaxFloat64, Grids: 1}); p.bound == before {
			break
		}
		fall := before.Start - p.bound.Start
		if same := p.bound.Vertices == before.Vertices && p.bound.Choices == before.Choices; !same && beyond*fall < p.bound.Start-claimed {
			break
		}
	}
	return err
}

// beyond is how many times the fall from the last grid all finer ones may bring: about as much again, as the error falls
// with the square of the side of a cell, but not evenly.
const beyond = 8

// Unproved returns an *bcpace.UnsupportedError where package proved does not take the model, without solving anything.
func (e *continuousBounds) Unproved() error { return proved.Takes(e.model) }

// upper computes the upper bound, or goes on with finer grids where time was up. A model that package proved does not
// take has none.
func (p *proof) upper(ctx context.Context, m bcpace.Model, tolerance float64) (err error) {
	if p.whole {
		return nil
	}
	b, o := p.bound, proved.Options{Tolerance: tolerance}
	if b == nil {
		b, err = proved.Upper(ctx, m, o)
	} else {
		b, err = b.Finer(ctx, o)
	}
	if b != nil {
		p.bound = b
	}
	err = unlessUnsupported(err)
	p.whole = err == nil
	return err
}

// unlessUnsupported returns nil for an *UnsupportedError.
func unlessUnsupported(err error) error {
	if unsupported := new(bcpace.UnsupportedError); errors.As(err, &unsupported) {
		return nil
	}
	return err
}

// prove computes both bounds. Before a deadline it leaves a part of the time for the lower one.
func (p *proof) prove(ctx context.Context, m bcpace.Model, tolerance float64) error {
	within, cancel := runs.LeaveTime(ctx, lowerTime)
	defer cancel()
	err := p.upper(within, m, tolerance)
	if p.bound == nil || p.lowerOf == p.bound || err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	lower, fault := p.bound.Lower(ctx)
	fault = unlessUnsupported(fault)
	if p.lower = max(p.lower, lower); fault == nil {
		p.lowerOf = p.bound
	}
	return cmp.Or(fault, err) // err says no more than that time was up
}

// planByProof proves an upper bound before the choice of a policy, which has that of the finite model then. Before a
// deadline it leaves time for the rest.
func (cs *continuousSearch) planByProof(ctx context.Context) error {
	e := cs.bounds
	e.proof.mu.Lock()
	defer e.proof.mu.Unlock()
	planning, cancel := runs.LeaveTime(solverkit.WithControl(ctx, cs.control), runs.AfterProof)
	defer cancel()
	err := e.proof.upper(planning, e.model, proofShare*cs.plan.Epsilon)
	if e.proof.bound != nil {
		e.byProof = e.proof.bound.Policy()
	}
	if planning.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}
