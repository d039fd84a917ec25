package lipschitz

import (
	"context"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
)

// bounds of what any policy earns.
type bounds struct {
	upper, lower bcpace.LatentValues // nil where it is the constant beside it
	vMin, vMax   float64
}

// at returns lo and up of (s, φ, a). The range of rewards bounds both, so
// that they are no further apart for the errors of a solver.
func (b bounds) at(s []float64, latent, action int) (lo, up float64, err error) {
	lo, up = b.vMin, b.vMax
	if b.upper != nil {
		lo, up = max(lo, b.lower.Q(s, latent, action)), min(up, b.upper.Q(s, latent, action))
	}
	if !(lo <= up) { // also where one is not a number
		return 0, 0, bcpace.In("bounds of values").Bad(fmt.Sprintf("those at state %v, latent %d, action %d", s, latent, action),
			fmt.Sprintf("%v, %v", lo, up), "two numbers, the lower one first")
	}
	return lo, up, nil
}

const rewardSource = "the range of rewards"

// finiteValues fills in the ranges of values over all live states. A state and action at which nothing
// follows under a latent is left out.
func (c *Constants) finiteValues(ctx context.Context, f bcpace.Finite, d *kernels) error {
	t, b := &c.Tight, bounds{vMin: d.spec.VMin(), vMax: d.spec.VMax()}
	t.Source = rewardSource
	// With a horizon, values at few steps left may lie outside those without one.
	if d.spec.Discount < 1 && d.spec.Horizon == 0 {
		up, err := dp.SolveFIB(ctx, f)
		if err != nil {
			return err
		}
		lo, err := dp.SolveWorst(ctx, f)
		if err != nil {
			return err
		}
		b.upper, b.lower = vectors{f, &up.VectorTable}, vectors{f, &lo.VectorTable}
		t.Source = "the fast informed bounds from above and below, solved at all states"
	}
	t.VMin, t.VMax, t.LBByAction = math.Inf(1), math.Inf(-1), make([]float64, d.actions)
	s := make([]float64, len(d.spec.Axes))
	for i, number := range d.live {
		f.StateAt(s, number)
		for a := range d.actions {
			low, high := math.Inf(1), math.Inf(-1)
			for latent := range d.latents {
				if len(d.row(i, a, latent).key) == 0 {
					continue
				}
				lo, up, err := b.at(s, latent, a)
				if err != nil {
					return err
				}
				low, high = min(low, lo), max(high, up)
			}
			if low <= high {
				t.LBByAction[a] = max(t.LBByAction[a], (high-low)/2)
				t.VMin, t.VMax = min(t.VMin, low), max(t.VMax, high)
			}
		}
	}
	t.reachZero(d.ends || t.VMin > t.VMax)
	return nil
}

// reachZero has the range of values contain 0, which is the value after an end, where episodes end. A value V lies
// between the least and the largest Q of its state.
func (t *Tight) reachZero(ends bool) {
	if ends {
		t.VMin, t.VMax = min(t.VMin, 0), max(t.VMax, 0)
	}
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
