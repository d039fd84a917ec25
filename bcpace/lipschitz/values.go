package lipschitz

import (
	"context"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
)

// bounds of what any policy earns, for c.finiteValues and c.sampledValues.
type bounds struct {
	upper, lower bcpace.LatentValues // nil where it is the constant beside it
	vMin, vMax   float64
}

// at returns lo and up of (s, φ, a). The range of rewards bounds both, so
// that they are no further apart for the errors of a solver.
func (b bounds) at(s []float64, latent, action int) (lo, up float64, err error) {
	lo, up = b.vMin, b.vMax
	if b.upper != nil {
		up = min(up, b.upper.Q(s, latent, action))
	}
	if b.lower != nil {
		lo = max(lo, b.lower.Q(s, latent, action))
	}
	if !(lo <= up) { // also where one is not a number
		return 0, 0, bcpace.In("options").Bad(fmt.Sprintf("Lower, Upper at state %v, latent %d, action %d", s, latent, action),
			fmt.Sprintf("%v, %v", lo, up), "two numbers, the lower one first")
	}
	return lo, up, nil
}

const rewardSource = "the range of rewards"

// given returns the bounds that the options and the range of rewards give.
func given(spec bcpace.Spec, o Options) (b bounds, source string) {
	b = bounds{upper: o.Upper, lower: o.Lower, vMin: spec.VMin(), vMax: spec.VMax()}
	switch {
	case o.Upper != nil && o.Lower != nil:
		return b, "bounds given"
	case o.Upper != nil:
		return b, "the upper bound given, and below it the range of rewards"
	case o.Lower != nil:
		return b, "the lower bound given, and above it the range of rewards"
	}
	return b, rewardSource
}

// finiteValues fills in the ranges of values over all live states.
func (c *Constants) finiteValues(ctx context.Context, f bcpace.Finite, d *kernels, o Options) error {
	b, source := given(d.spec, o)
	// With a horizon, values at few steps left may lie outside those without one.
	if source == rewardSource && !o.RewardRange && d.spec.Discount < 1 && d.spec.Horizon == 0 {
		up, err := dp.SolveFIB(ctx, f)
		if err != nil {
			return err
		}
		lo, err := dp.SolveWorst(ctx, f)
		if err != nil {
			return err
		}
		b.upper, b.lower = vectors{f, &up.VectorTable}, vectors{f, &lo.VectorTable}
		source = "the fast informed bounds from above and below, solved at all states"
	}
	r := newRanges(b, d.actions)
	t := &c.Tight
	t.LBTable = make([]float64, f.NumStates()*d.actions)
	s := make([]float64, len(d.spec.Axes))
	for i, number := range d.live {
		f.StateAt(s, number)
		lb := t.LBTable[number*d.actions : (number+1)*d.actions]
		if err := r.visit(s, d.latents, lb, func(a, latent int) bool { return len(d.row(i, a, latent).key) > 0 }); err != nil {
			return err
		}
	}
	r.fill(t, d.ends)
	t.Source = source
	return nil
}

// ranges collects the ranges of values over states.
type ranges struct {
	bounds
	low, high float64
	byAction  []float64
}

func newRanges(b bounds, actions int) *ranges {
	return &ranges{bounds: b, low: math.Inf(1), high: math.Inf(-1), byAction: make([]float64, actions)}
}

// visit takes in state s and writes L_B(s,a) to lb. A pair (a, φ) of which occurs
// says no is left out.
func (r *ranges) visit(s []float64, latents int, lb []float64, occurs func(a, latent int) bool) error {
	for a := range lb {
		low, high := math.Inf(1), math.Inf(-1)
		for latent := range latents {
			if occurs(a, latent) {
				lo, up, err := r.at(s, latent, a)
				if err != nil {
					return err
				}
				low, high = min(low, lo), max(high, up)
			}
		}
		if low <= high {
			lb[a] = (high - low) / 2
			r.byAction[a] = max(r.byAction[a], lb[a])
			r.low, r.high = min(r.low, low), max(r.high, high)
		}
	}
	return nil
}

// fill hands over what was collected. A value V lies between the least and the
// largest Q of its state, and is 0 after an end.
func (r *ranges) fill(t *Tight, ends bool) {
	t.VMin, t.VMax = r.low, r.high
	if ends || r.low > r.high {
		t.VMin, t.VMax = min(r.low, 0), max(r.high, 0)
	}
	t.LBByAction = r.byAction
}

// vectors are a table of vectors as bounds at the one-hot beliefs.
type vectors struct {
	model bcpace.Finite
	table *dp.VectorTable
}

// Q implements bcpace.LatentValues.
func (v vectors) Q(s []float64, latent, action int) float64 {
	i := v.model.StateIndex(s)
	if i < 0 {
		return math.NaN()
	}
	return v.table.Vector(i, action)[latent]
}
