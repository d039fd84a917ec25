package bcpace

import (
	"context"
	"fmt"
	"math"
)

// paperValues are the values of a run of Algorithm 1: those of its estimator, from
// any goroutine.
type paperValues struct{ *estimator }

// Query implements Values.
func (v paperValues) Query(s []float64, b Belief, action int) (q float64, known bool) {
	w := v.borrow()
	defer v.pool.Put(w)
	return v.query(w, s, b, action)
}

// At implements Values.
func (v paperValues) At(s []float64, b Belief) (value float64, action int) {
	w := v.borrow()
	defer v.pool.Put(w)
	value, action, _ = v.greedy(w, s, b)
	return value, action
}

// Upper implements Values.
func (v paperValues) Upper(s []float64, b Belief, action int) float64 { return v.upper(s, b, action) }

// Policy implements Values.
func (v paperValues) Policy() Policy { return &greedyPolicy{est: v.estimator, scratch: v.scratch()} }

// LatentValues implements Values.
func (v paperValues) LatentValues() LatentValues { return v.latent }

// Bytes implements Values: the latent values that the run computed for itself.
func (v paperValues) Bytes() ([]byte, error) {
	if v.set.Latent != nil || v.latent == nil {
		return nil, nil
	}
	return appendLatentValues(nil, v.latent)
}

// UpperAtStart implements Values. It follows from the latent MDPs, and is proved for a
// Finite model.
func (v paperValues) UpperAtStart(ctx context.Context, r *Run) (float64, error) {
	_, top := RangeOfReturns(r.model)
	bound, err := v.latentBound(ctx, r.model)
	if bound == nil || err != nil {
		return top, err
	}
	return AtStart(r.model, func(s []float64, b Belief) float64 {
		u := math.Inf(-1)
		for a := range r.Spec.Actions {
			u = max(u, bound.Upper(s, b, a))
		}
		return u
	})
}

// latentBound returns a bound from the latent values where the run has computed
// them, and a computed one for another Finite model; nil where there is none.
func (v paperValues) latentBound(ctx context.Context, m Model) (UpperBound, error) {
	if cutsEpisodes(m) { // a run from before the steps left were in the states
		return nil, nil
	}
	values := v.latent
	if v.set.Latent != nil {
		values = nil // the user's own may be anything
	}
	switch q := values.(type) {
	case *FiniteValues:
		if KindOf(m) != Redrawn { // the fast informed bound is QMDP
			return QMDPBound{Values: q, Slack: q.Error}, nil
		}
	case *GridValues:
		return QMDPBound{Values: q, Slack: q.Error}, nil
	}
	if f, ok := AsFinite(m); ok {
		// Not latentOrNil: a typed nil beside an error is not looked at.
		return SolveFIB(ctx, f)
	}
	return nil, nil
}

// ReadValues implements Explorer.
func (o Options) ReadValues(r *Run, written []byte) (Values, error) {
	set, err := o.resolve(r.model)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	latent := o.Latent
	if len(written) > 0 {
		if latent, err = decodeLatentValues(written, r.model); err != nil {
			return nil, fmt.Errorf("%w: latent values: %w", ErrFormat, err)
		}
	}
	e := newEstimator(r.Spec, set, latent)
	e.load(r.Samples)
	return paperValues{e}, nil
}
