package mdp

import (
	"context"
	"math"
)

// longestTotal is the most steps, in the mean, that a chain may take to its end for Totals: beyond
// that, rounding leaves little of a sum.
const longestTotal = 1e12

// Totals solves a chain without a discount that ends from everywhere: it replaces v by totals of rewards,
// and returns w and e such that
//
//	w ≥ 1/2 + Pw   and   |r + Pv − v| ≤ e/2
//
// in every state. So v − ew is not above its own backup, r + P(v − ew) ≥ v − e/2 − e(w − 1/2), and v + ew not
// below it; and w bounds the steps to the end, but for a factor of 2. ew is tol at most, or what rounding allows. ok is false where ctx ends before, or
// where there are too many steps. The first v does not matter but for the time.
func (c *MarkovChain) Totals(ctx context.Context, v []float64, tol float64) (w []float64, e float64, ok bool) {
	x := newSolver(c, len(v))
	reward, most := c.reward, c.most
	c.reward, c.most = make([]float64, len(v)), 1
	for s := range c.reward {
		c.reward[s] = 1 / (1 - c.stay[s])
	}
	w = make([]float64, len(v))
	_, err := x.improve(ctx, w, 1./8)
	least, above := c.residuals(w) // of 1 + Pw − w, which must be 1/2 at most
	c.reward, c.most = reward, most
	if err != nil || !(least > math.Inf(-1) && above <= 1./2) || !(MaxAbs(w) <= longestTotal) {
		return nil, 0, false
	}
	if _, err := x.improve(ctx, v, tol/(8*MaxAbs(w))); err != nil {
		return nil, 0, false
	}
	low, high := c.residuals(v)
	return w, 2 * (max(-low, high) + c.rounding(v)), !math.IsNaN(low + high)
}

// residuals returns the least and the largest of r + Pv − v.
func (c *MarkovChain) residuals(v []float64) (least, most float64) {
	var lows, highs sums
	EachPart(c.workers, len(v), func(i, from, to int) {
		for s := from; s < to; s++ {
			residual := (c.ahead(v, s, true) - v[s]) * (1 - c.stay[s])
			lows[i], highs[i] = min(lows[i], residual), max(highs[i], residual)
		}
	})
	return lows.least(), highs.largest()
}
