package certified

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace"
)

// Verify implements bcpace.Values: it checks that no sample promises more than its backup: lo_j ≤ U0 − BU and
// hi_j ≥ U0 − BL, each up to a tolerance for rounding, for the U and L of all
// samples. How they came about does not matter. For write F for D⁻ and T for the
// operator that carries U0 − B(U0 − F) from the samples. Then F ≤ TF; T is
// monotone and, as a bound carried moves no more than the one at the sample, a
// γ-contraction; and it maps what is below D to what is below D. So F ≤ T^∞F ≤ D,
// and likewise for D⁺.
func (e *continuum) Verify(ctx context.Context, r *bcpace.Run) (bcpace.Certificate, error) {
	if _, _, err := e.verifySamples(ctx, r.Solver.(Solver).LipState); err != nil {
		return bcpace.Certificate{}, err
	}
	upper, err := bcpace.AtStart(e.model, func(s []float64, b bcpace.Belief) float64 {
		u, _ := e.At(s, b)
		return u
	})
	if err != nil {
		return bcpace.Certificate{}, err
	}
	if !(math.Abs(upper-r.Value) <= e.tolerance()) {
		return bcpace.Certificate{}, bcpace.Claim("the value at the start", r.Value, "that of the samples, %v", upper)
	}
	if len(r.SavedState()) == 0 {
		return bcpace.Certificate{}, nil
	}
	return bcpace.Certificate{}, verifyState(ctx, r)
}

// tolerance is what rounding may do to a bound.
func (e *continuum) tolerance() float64 { return 1e-12 * max(e.spec.VMax(), -e.spec.VMin(), 1) }

// verifySamples is Verify for the samples alone, and for L_S, which lip, the option,
// must have made. It returns the bounds at the nodes as the samples have them, and
// leaves those of e as they are: others may use the run meanwhile.
func (e *continuum) verifySamples(ctx context.Context, lip float64) (top, bottom []float64, err error) {
	if made := newContinuum(e.model, e.continuousTables, lip, e.epsilon).lip; !(math.Abs(e.lip-made) <= 1e-9*made) {
		return nil, nil, bcpace.Claim("the Lipschitz constant L_S", e.lip, "%v, as the options have it", made)
	}
	tolerance := e.tolerance()
	bad := func(j int, what string, got, want float64) ([]float64, []float64, error) {
		return nil, nil, &bcpace.InputError{Where: "run", What: fmt.Sprintf("the %s bound of the shortfall of sample %d", what, j), Got: fmt.Sprint(got),
			Want: fmt.Sprintf("one that its backup supports, %v", want)}
	}
	top, bottom = slices.Clone(e.top), slices.Clone(e.bottom)
	point := make([]float64, len(e.point))
	for n := range e.prob {
		if n%256 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		s, b, first := e.place(int32(n))
		e.metric.Embed(point, s, b)
		u, _ := e.upperAt(point, first)
		top[n], bottom[n] = min(top[n], u), e.lowerAt(point, first, bottom[n])
	}
	for j, a := range e.action {
		_, _, first := e.place(e.node[j])
		t, i := e.by[a], e.item[j]
		if want := first[a] - e.backup(int32(j), top); want < t.lo[i]-tolerance && t.lo[i] > 0 {
			return bad(j, "lower", t.lo[i], want)
		}
		if want := first[a] - e.backup(int32(j), bottom); want > t.hi[i]+tolerance {
			return bad(j, "upper", t.hi[i], want)
		}
	}
	return top, bottom, nil
}
