package certified

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
)

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
		return nil, nil, bcpace.In("run").Bad(fmt.Sprintf("the %s bound of the shortfall of sample %d", what, j), got, fmt.Sprintf("what its backup supports, %v", want))
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
