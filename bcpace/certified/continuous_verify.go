package certified

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
)

// Verify implements runs.Values. It checks, up to a tolerance for rounding, that the
// bounds of no sample are tighter than its backup: lo_j ≤ U0 − BU and hi_j ≥ U0 − BL,
// where U and L are the bounds that all samples support.
//
// This suffices, whatever made the samples. For let F be D⁻, and T the operator that
// carries U0 − B(U0 − F) from the samples. Then F ≤ TF. T is monotone, and a
// γ-contraction, as a carried bound moves no more than the one at its sample; and it
// maps any function below D to a function below D. So F ≤ T^∞F ≤ D, and likewise for D⁺.
func (e *continuousBounds) Verify(ctx context.Context, r *runs.Run) (bcpace.Certificate, error) {
	if _, _, err := e.verifySamples(ctx, r.Solver.(Solver).LipState); err != nil {
		return bcpace.Certificate{}, err
	}
	upper, err := bcpace.MeanAtStart(e.model, func(s []float64, b bcpace.Belief) float64 {
		u, _ := e.At(s, b)
		return u
	})
	if err != nil {
		return bcpace.Certificate{}, err
	}
	if !(math.Abs(upper-r.Value) <= e.tolerance()) {
		return bcpace.Certificate{}, runs.Claim("the value at the start", r.Value, "that of the samples, %v", upper)
	}
	if len(r.SavedState()) == 0 {
		return bcpace.Certificate{}, nil
	}
	return bcpace.Certificate{}, verifyState(ctx, r)
}

// tolerance returns the largest rounding error of a bound.
func (e *continuousBounds) tolerance() float64 { return 1e-12 * max(e.spec.VMax(), -e.spec.VMin(), 1) }

// verifySamples is Verify for the samples alone, and for L_S, which must be the one that
// the option lip gives. It returns the bounds at the nodes that the samples support. It
// does not change e, as others may use the run meanwhile.
func (e *continuousBounds) verifySamples(ctx context.Context, lip float64) (top, bottom []float64, err error) {
	if made := newContinuousBounds(e.model, e.continuousTables, lip, e.epsilon).lip; !(math.Abs(e.lip-made) <= 1e-9*made) {
		return nil, nil, runs.Claim("the Lipschitz constant L_S", e.lip, "%v, as the options give it", made)
	}
	tolerance := e.tolerance()
	bad := func(j int, what string, got, want float64) ([]float64, []float64, error) {
		return nil, nil, &bcpace.InputError{Where: "run", What: fmt.Sprintf("the %s bound of the shortfall of sample %d", what, j), Got: fmt.Sprint(got),
			Want: fmt.Sprintf("what its backup supports, %v", want)}
	}
	top, bottom = slices.Clone(e.top), slices.Clone(e.bottom)
	point := make([]float64, len(e.point))
	for n := range e.prob {
		if n%256 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		s, b, first := e.nodeData(int32(n))
		e.metric.Embed(point, s, b)
		u, _ := e.upperAt(point, first)
		top[n], bottom[n] = min(top[n], u), e.lowerAt(point, first, bottom[n])
	}
	for j, a := range e.action {
		_, _, first := e.nodeData(e.node[j])
		t, i := e.shortfallOf[a], e.item[j]
		if want := first[a] - e.backup(int32(j), top); want < t.lo[i]-tolerance && t.lo[i] > 0 {
			return bad(j, "lower", t.lo[i], want)
		}
		if want := first[a] - e.backup(int32(j), bottom); want > t.hi[i]+tolerance {
			return bad(j, "upper", t.hi[i], want)
		}
	}
	return top, bottom, nil
}
